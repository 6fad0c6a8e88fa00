"""Small random worlds; every feature has its own chance."""
from shares import INF, ORDERS, Class, Queue, World


def draw(rng):
    """A small world; every feature has its own chance."""
    K = rng.choice((1, 2, 2, 3))
    base, tags = [rng.randint(5, 18) for _ in range(K)], set()
    def maybe(name, p):
        on = rng.random() < p
        tags.update({name} if on else ())
        return on
    if K > 1 and maybe("plentiful", .3):
        base[rng.randrange(K)] *= 20
    nodes = [(0, [max(1, b + rng.randint(-2, 2)) for b in base])
             for _ in range(rng.choice((1, 1, 1, 2, 3)))]
    if maybe("partitions", .15):
        nodes += [(1, [max(1, b + rng.randint(-3, 3)) for b in base])]
    cap = [max(sum(v[k] for p, v in nodes if p == x) for x in (0, 1)) for k in range(K)]
    on = {f: maybe(f, .4) for f in ("limits", "borrow", "lend", "users",
                                    "priorities", "fixed", "masters")}
    on["user limit"] = on["users"] and maybe("user limit", .4)
    amounts = maybe("ceilings", .5) and len({p for p, _ in nodes}) > 1
    if not amounts:
        tags.discard("ceilings")
    orders = rng.choice((("drf",), ("share", "utilisation", "drf", "fair"),
                         ORDERS))
    none = lambda x: [x] * K
    queues = [Queue(-1, none(0), none(INF), none(INF), none(INF),
                    order=rng.choice(orders), amount=False)]
    if on["limits"] and rng.random() < .2:
        queues[0].limit = [rng.randint(max(1, t // 2), t) for t in cap]
    queues[0].guarantee = list(cap)
    def grow(parent, depth):
        room = [min(a, b) for a, b in zip(queues[parent].guarantee, queues[parent].limit)]
        for _ in range(rng.choice((1, 2, 2, 3)) if depth else rng.choice((2, 2, 3))):
            g = [rng.randint(0, x) if rng.random() < .6 else 0 for x in room]
            room = [x - y for x, y in zip(room, g)]
            if rng.random() < .08:
                g = [min(2 * x + 2, t) for x, t in zip(g, cap)]
                tags.add("overcommitted")
            some = lambda name, low, p: [
                rng.randint(low, t) if rng.random() < .8 else INF for t in cap] \
                if on[name] and rng.random() < p else none(INF)
            q = Queue(parent, list(g), some("limits", 1, .4), none(INF), none(INF),
                      rng.choice((0, 1, 1, 1, 2, 3)), rng.choice(orders),
                      rng.randrange(K), rng.randrange(2), rng.random() > .06, amounts)
            q.borrow, q.lend = some("borrow", 0, .3), some("lend", 0, .4)
            queues.append(q)
            if depth < 2 and rng.random() < .35:
                grow(len(queues) - 1, depth + 1)
    grow(0, 0)
    tags.update(x.order + " order" for x in queues)
    tags.update({"weight 0"} if any(not x.weight for x in queues) else (),
                {"spared"} if not all(x.give for x in queues) else ())
    classes = []
    for q in sorted(set(range(len(queues))) - {x.parent for x in queues}):
        queues[q].user_limit = rng.choice((100, 20, 60)) if on["user limit"] else 100
        queues[q].am_share = rng.choice((0, 20, 50)) if on["masters"] else 0
        queues[q].by_priority = rng.random() < .5
        for _ in range(rng.choice((1, 1, 2, 3))):
            v = [rng.choice((0, 1, 1, 2, 3, rng.randint(1, 6))) for _ in range(K)]
            v = v if any(v) else [1] * K
            v = [x * rng.choice((1, 1, 1, 2)) for x in v]  # gangs of two
            load = rng.choice((.1, .5, 1, 2, 50, 1000))
            classes.append(Class(
                q, rng.randrange(2) if on["users"] else 0,
                rng.randrange(3) if on["priorities"] else 0,
                on["fixed"] and rng.random() < .2, on["masters"] and rng.random() < .3,
                v, max(1, int(load * min(t // a for t, a in zip(cap, v) if a))),
                rng.choice((-1, 0, max(p for p, _ in nodes)))))
            tags.update({"backlog"} if load >= 50 else ())
    rng.shuffle(classes)
    tags -= {"masters"} if not any(c.master for c in classes) else set()
    w = World(nodes, queues, classes,
              [i for i in range(len(classes)) if rng.random() < .5],
              rng.choice(("imbalance", "starvation", "entitlement")),
              maybe("balance", .3), rng.choice((0, 10)), rng.choice((0, 50, 100)),
              maybe("by user", .3), maybe("by priority", .4),
              rng.choice((0, 0, 1, 3)), rng.choice((1, 3, INF)), tags)
    tags.update({w.dialect, "kinds %d" % K}, {"grace"} if w.grace else (),
                {"nodes"} if len(nodes) > 1 else ())
    return w
