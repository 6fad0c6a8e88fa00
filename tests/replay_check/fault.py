"""What a check says when a log is not as it should be."""


class Fault(Exception):
    pass


def need(truth, what, *about):
    if not truth:
        raise Fault(what % about if about else what)
