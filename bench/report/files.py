"""Files that are written beside their place and take it when they are complete, as src/text/output.h does it for the other programs:
whoever looks finds the old contents or the new ones. Where the system can do it, a new file has no name until then."""

import errno
import os
import signal
import stat

from results import Failure, Misuse


class NewFile:
    """A complete file on the disk that has not taken its place yet."""

    def __init__(self, path, content):
        self.target = os.path.realpath(path)
        self.folder = os.path.dirname(self.target)
        self.name = None
        self.descriptor = self.open()
        try:
            self.fill(content)
        except OSError:
            self.discard()
            raise

    def open(self):
        try:
            descriptor = os.open(self.folder, os.O_TMPFILE | os.O_WRONLY, 0o600)
            if os.path.exists("/proc/self/fd/%d" % descriptor):
                return descriptor
            os.close(descriptor)
        except (AttributeError, OSError):
            pass  # this system or this file system has none
        return self.with_name(lambda name: os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))

    def with_name(self, make):
        for k in range(1000):
            name = os.path.join(self.folder, ".plumb-%d-%d" % (os.getpid(), k))
            try:
                made = make(name)
                self.name = name
                return made
            except FileExistsError:
                pass
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), self.folder)

    def fill(self, content):
        left = memoryview(content.encode("utf-8"))
        while left:
            left = left[os.write(self.descriptor, left):]
        try:
            rights = stat.S_IMODE(os.stat(self.target).st_mode)
        except FileNotFoundError:
            mask = os.umask(0)
            os.umask(mask)
            rights = 0o666 & ~mask
        os.fchmod(self.descriptor, rights)
        os.fsync(self.descriptor)

    def place(self):
        if self.name is None:
            source, root = "/proc/self/fd/%d" % self.descriptor, os.open("/", os.O_RDONLY)
            try:  # a folder makes Python call linkat, which follows the link in /proc
                self.with_name(lambda name: os.link(source, name, src_dir_fd=root))
            finally:
                os.close(root)
        os.rename(self.name, self.target)
        self.name = None

    def discard(self):
        os.close(self.descriptor)
        if self.name is not None:
            os.unlink(self.name)


def check(path):
    """Refuses what cannot be written: a folder, or a file without permission."""
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if os.path.exists(path) and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def replace(files):
    """Writes pairs of a path and its text. All are complete before the first takes its place. No signal leaves a file behind."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    made, path = [], ""
    try:
        for path, content in files:
            check(path)
            if os.path.exists(path) and not os.path.isfile(path):  # a device or a pipe
                with open(path, "w", encoding="utf-8") as file:
                    file.write(content)
            else:
                made.append(NewFile(path, content))
        for file in made:
            path = file.target
            file.place()
    except OSError as error:
        raise Failure("'%s' could not be written: %s" % (path, error.strerror)) from None
    finally:
        for file in made:
            file.discard()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def expect_distinct(outputs, inputs):
    """Refuses outputs that are inputs or one another, under whatever name."""
    seen = [os.path.realpath(path) for path in inputs if path != "-"]
    for path in outputs:
        if any(os.path.realpath(path) == other or os.path.exists(path) and os.path.exists(other) and
               os.path.samefile(path, other) for other in seen):
            raise Misuse("'%s' is also an input or another output, expected a file of its own" % path)
        seen.append(os.path.realpath(path))
