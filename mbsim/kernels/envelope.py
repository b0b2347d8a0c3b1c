"""Products of rows that touch few columns, and their factors, without the zeros: rows in the order of their first columns.

Columns are numbered so that those in which a row has entries are close to each other (`number`). Row i of A has entries in the columns
first[i]:last[i] only. In the list `rows` place a of A_1 is row rows[a] of A. Of products A_1 B_1',
and of the lower triangle G of a factor, row a is zero outside of the places low[a]:high[a], of G outside of low[a]:a + 1. For rows in the
order of their first columns these are few, as in a chain; in any other order they are at most all. For m rows of which b take part in the
same columns that costs m b^2, and not m^3.
"""

from math import sqrt

from mbsim.jit import helper, index


@helper
def number(entries, counts, columns, start, places, queue, seen):
    """places (columns,) <- the columns in the order in which rows reach them that are neighbours of each other; returns the last row.

    Row i has the columns entries[i * columns:], counts[i] of them. The first row is `start`; queue and seen (m,) are scratch.
    """
    m, taken = counts.shape[0], 0
    for j in range(columns):
        places[j] = -1
    for i in range(m):
        seen[i] = 0
    head, tail = 0, 0
    for other in range(-1, m):
        r = start if other < 0 else other
        if seen[r] == 0:
            queue[tail], seen[r] = r, 1
            tail += 1
        while head < tail:
            r = queue[head]
            head += 1
            for k in range(r * columns, r * columns + counts[r]):
                j = entries[k]
                if places[j] >= 0:
                    continue
                places[j] = taken
                taken += 1
                for i in range(m):
                    touches = False
                    for e in range(i * columns, (i * columns + counts[i]) if seen[i] == 0 else 0):
                        touches = touches or entries[e] == j
                    if touches:
                        queue[tail], seen[i] = i, 1
                        tail += 1
    for j in range(columns):
        if places[j] < 0:
            places[j] = taken
            taken += 1
    return queue[m - 1]


@helper
def bounds(rows, count, first, last, begins, ends):
    """begins[a] <- the first column of the rows at the places from a on, ends[a] <- the last one of those up to a."""
    for a in range(count):
        i = rows[a]
        ends[a] = last[i] if a == 0 else max(ends[a - 1], last[i])
    for a in range(count - 1, -1, -1):
        i = rows[a]
        begins[a] = first[i] if a == count - 1 else min(begins[a + 1], first[i])


@helper
def gram(A, rows, count, first, last, ends, X, low):
    """The lower triangle of X <- A_1 A_1', low (count,) <- its first places; `ends` as of `bounds`."""
    for a in range(count):
        i = index(rows[a])
        x, y = A[i], X[a]
        b = a
        while b > 0 and ends[b - 1] > first[i]:
            b -= 1
        low[a] = b
        for k in range(b, a + 1):
            j, s = index(rows[k]), 0.0
            for c in range(index(max(first[i], first[j])), min(last[i], last[j])):
                s += x[c] * A[j, c]
            y[k] = s


@helper
def products(A, B, rows, count, first, last, begins, ends, X, low, high):
    """X (count, count) <- A_1 B_1', zeros with it, low and high (count,) <- the places of a row where it has entries."""
    for a in range(count):
        i = index(rows[a])
        x, y = A[i], X[a]
        b, e = a, a + 1
        while b > 0 and ends[b - 1] > first[i]:
            b -= 1
        while e < count and begins[e] < last[i]:
            e += 1
        low[a], high[a] = b, e
        for k in range(b):
            y[k] = 0.0
        for k in range(e, count):
            y[k] = 0.0
        for k in range(b, e):
            j, s = index(rows[k]), 0.0
            for c in range(index(max(first[i], first[j])), min(last[i], last[j])):
                s += x[c] * B[j, c]
            y[k] = s


@helper
def cholesky(X, count, low, least):
    """X <- G, X = G G', from the lower triangle, its diagonal left inverted; whether all pivots are above `least`."""
    for a in range(count):
        y = X[a]
        for b in range(index(low[a]), a):
            g = X[b]
            s = y[b]
            for c in range(index(max(low[a], low[b])), b):
                s -= y[c] * g[c]
            y[b] = s * g[b]
        s = y[a]
        for c in range(index(low[a]), a):
            s -= y[c] * y[c]
        if not s > least * least:
            return False
        y[a] = 1.0 / sqrt(s)
    return True


@helper
def forward(G, count, low, x):
    """x <- G^-1 x; here and in what follows the diagonal of G is inverted."""
    for a in range(count):
        g, s = G[a], x[a]
        for b in range(index(low[a]), a):
            s -= g[b] * x[b]
        x[a] = s * g[a]


@helper
def backward(G, count, low, x):
    """x <- G'^-1 x."""
    for a in range(count - 1, -1, -1):
        g = G[a]
        s = x[a] * g[a]
        x[a] = s
        for b in range(index(low[a]), a):
            x[b] -= g[b] * s


@helper
def lower_product(G, count, low, x):
    """x <- G x."""
    for a in range(count - 1, -1, -1):
        g = G[a]
        s = x[a] / g[a]
        for b in range(index(low[a]), a):
            s += g[b] * x[b]
        x[a] = s


@helper
def upper_product(G, count, low, x):
    """x <- G' x."""
    for a in range(count):
        g, s = G[a], x[a]
        for b in range(index(low[a]), a):
            x[b] += g[b] * s
        x[a] = s / g[a]


@helper
def lu(X, count, low, high, order):
    """LU of X with row exchanges in place, order (count,) the rows as exchanged, pivots left inverted.

    Returns 1 or -1, the sign of the determinant, or 0 where X is singular. low and high as of `products`; low becomes that of all rows
    from there on.
    """
    for k in range(count):
        order[k] = k
    for k in range(count - 2, -1, -1):
        low[k] = min(low[k], low[k + 1])
    sign, bottom, end = 1, 0, 0  # rows down to `bottom` have entries in column k, and none beyond the column `end`
    for k in range(count):
        while bottom < count and low[bottom] <= k:
            end = max(end, high[bottom])
            bottom += 1
        r = k
        for i in range(k + 1, bottom):
            if abs(X[i, k]) > abs(X[r, k]):
                r = i
        if r != k:
            order[k], order[r] = order[r], order[k]
            for j in range(end):
                X[k, j], X[r, j] = X[r, j], X[k, j]
            sign = -sign
        if X[k, k] == 0.0:
            return 0
        if X[k, k] < 0.0:
            sign = -sign
        inverse = 1.0 / X[k, k]
        X[k, k] = inverse
        for i in range(k + 1, bottom):
            f = X[i, k] * inverse
            if f == 0.0:
                continue
            X[i, k] = f
            for j in range(k + 1, end):
                X[i, j] -= f * X[k, j]
    return sign


@helper
def sort(rows, count, first, last):
    """Bring `rows` into the order of their first columns."""
    for a in range(1, count):
        i, b = rows[a], a
        while b > 0 and (first[rows[b - 1]] > first[i] or (first[rows[b - 1]] == first[i] and last[rows[b - 1]] > last[i])):
            rows[b] = rows[b - 1]
            b -= 1
        rows[b] = i
