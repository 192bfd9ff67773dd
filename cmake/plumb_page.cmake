# The page of plumb solve --html: its style and its script are put into page.html, which becomes an array of bytes for the program, and
# build/page.html for the Python package. Run by itself (cmake -P) it does this; included, it arranges that.
if(CMAKE_SCRIPT_MODE_FILE)
    file(READ ${FOLDER}/page.html page)
    foreach(part page.css page.js)
        file(READ ${FOLDER}/${part} text)
        string(REPLACE "@${part}@" "${text}" page "${page}")
    endforeach()
    file(WRITE ${OUT}/page.html "${page}")
    file(READ ${OUT}/page.html bytes HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "((0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,))" "\\1\n" bytes "${bytes}")
    file(WRITE ${OUT}/page_template.c "#include \"app/page/page.h\"\n\nconst char app_page_template[] = {${bytes} 0};\n")
else()
    set(folder ${PROJECT_SOURCE_DIR}/src/app/page)
    add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/page_template.c BYPRODUCTS ${PROJECT_BINARY_DIR}/page.html
        COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -DOUT=${PROJECT_BINARY_DIR} -P ${CMAKE_CURRENT_LIST_FILE}
        DEPENDS ${folder}/page.html ${folder}/page.css ${folder}/page.js ${CMAKE_CURRENT_LIST_FILE})
    list(APPEND app_sources ${PROJECT_BINARY_DIR}/page_template.c)
endif()
