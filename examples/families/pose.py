"""Where is the camera? Three points suffice, if it is known which ones can be trusted: here a third of them cannot."""
import numpy, plumb

random = numpy.random.default_rng(5)
points = random.uniform(-5, 5, (60, 3)) + [0, 0, 20]          # in the world
turn = numpy.linalg.qr(random.normal(size=(3, 3)))[0]
turn *= numpy.linalg.det(turn)                                # the camera has turned and moved
move = numpy.array([1.0, -2.0, 4.0])
rays = points @ turn.T + move
rays /= numpy.linalg.norm(rays, axis=1)[:, None]              # directions in which it sees the points
rays += random.normal(scale=1e-4, size=rays.shape)            # measured
rays[:20] = random.normal(size=(20, 3))                       # and these are wrong
rays /= numpy.linalg.norm(rays, axis=1)[:, None]

# Distances x, y, z from the camera to three points whose mutual distances are a, b, c, seen at angles with cosines u, v, w.
p3p = plumb.Family(["x^2 + y^2 - 2*x*y*u - a^2", "y^2 + z^2 - 2*y*z*v - b^2", "z^2 + x^2 - 2*z*x*w - c^2"], "a, b, c, u, v, w")
triples = numpy.array([random.choice(60, 3, replace=False) for _ in range(300)])
pairs = triples[:, [[0, 1], [1, 2], [2, 0]]]
lengths = numpy.linalg.norm(points[pairs[..., 0]] - points[pairs[..., 1]], axis=-1)
cosines = (rays[pairs[..., 0]] * rays[pairs[..., 1]]).sum(axis=-1)
found = p3p.solve(numpy.hstack([lengths, cosines]))           # all triples at once

best, agree = None, 0
for triple, solutions, positive in zip(triples, found, found.positive):
    for distances in solutions.points.real[:positive]:        # positive solutions come first
        world, seen = points[triple], distances[:, None] * rays[triple]
        u, _, v = numpy.linalg.svd((seen - seen.mean(0)).T @ (world - world.mean(0)))
        r = u @ numpy.diag([1, 1, numpy.linalg.det(u @ v)]) @ v
        t = seen.mean(0) - r @ world.mean(0)
        looks = points @ r.T + t
        count = ((looks / numpy.linalg.norm(looks, axis=1)[:, None] * rays).sum(axis=1) > 1 - 1e-5).sum()
        if count > agree:
            best, agree = (r, t), count

print(f"{len(found)} triples, {found.positive.sum()} positive solutions, {found.failed.sum()} failed paths")
print(f"{agree} of 60 points agree; the camera is off by {numpy.linalg.norm(best[1] - move):.1e}")
