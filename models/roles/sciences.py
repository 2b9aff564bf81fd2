"""Simulations, filters, physics with gradients, and learning without them.

A simulation carries fields from step to step. It has no loss, so its fields are state, not parameters.
`s` multiplies the sizes.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import optax

from models.roles.case import (
    COUNTER,
    INPUT,
    OPTIMIZER,
    PARAMETER,
    STATE,
    TRAINING,
    Case,
    Row,
    norms,
    shape,
    tokens,
)
from models.roles.layouts import mlp, mlp_shapes

KEY = shape(2, dtype=jnp.uint32)


def shallow_water(s: int = 1) -> Case:
    """Heights and speeds on a periodic grid, by differences of neighbours; twenty steps in a loop."""
    grid = shape(48 * s, 64 * s)

    def east(a: jax.Array) -> jax.Array:
        return (jnp.roll(a, -1, 1) - jnp.roll(a, 1, 1)) / 2

    def north(a: jax.Array) -> jax.Array:
        return (jnp.roll(a, -1, 0) - jnp.roll(a, 1, 0)) / 2

    def step(fields: Any, depth: jax.Array) -> Any:
        def advance(_: Any, f: Any) -> Any:
            u = f["u"] - 0.01 * (9.8 * east(f["h"]) + f["u"] * east(f["u"]) + f["v"] * north(f["u"]) - 0.1 * f["v"])
            v = f["v"] - 0.01 * (9.8 * north(f["h"]) + f["u"] * east(f["v"]) + f["v"] * north(f["v"]) + 0.1 * f["u"])
            total = f["h"] + depth
            return {"h": f["h"] - 0.01 * (east(total * u) + north(total * v)), "u": u, "v": v}

        new = jax.lax.fori_loop(0, 20, advance, fields)
        return new, jnp.sum(new["h"])

    fields = {"h": grid, "u": grid, "v": grid}
    return Case(step, (fields, grid), ((r"fields/.*", STATE), (r"depth", INPUT)), donated=(0,))


def lattice_boltzmann(s: int = 1) -> Case:
    """Nine directions on a grid: collide, stream along each, bounce back from walls. Only the fluid comes back."""
    ex, ey = [0, 1, 0, -1, 0, 1, -1, -1, 1], [0, 0, 1, 0, -1, 1, 1, -1, -1]
    weights, back = [4 / 9] + [1 / 9] * 4 + [1 / 36] * 4, [0, 3, 4, 1, 2, 7, 8, 5, 6]

    def step(f: jax.Array, walls: jax.Array) -> jax.Array:
        e, w = jnp.array([ex, ey], f.dtype), jnp.array(weights, f.dtype)
        density = f.sum(0)
        speed = jnp.einsum("dq,qxy->dxy", e, f) / density
        along = jnp.einsum("dq,dxy->qxy", e, speed)
        balance = w[:, None, None] * density * (1 + 3 * along + 4.5 * along**2 - 1.5 * jnp.sum(speed**2, 0))
        f = f - 0.6 * (f - balance)
        f = jnp.where(walls, f[jnp.array(back)], f)
        return jnp.stack([jnp.roll(f[i], (ex[i], ey[i]), (0, 1)) for i in range(9)])

    grid = (40 * s, 56 * s)
    return Case(step, (shape(9, *grid), shape(*grid, dtype=jnp.bool_)), ((r"f", STATE), (r"walls", INPUT)))


def bodies(s: int = 1) -> Case:
    """All pairs attract each other; leapfrog. The energy is returned beside places and speeds."""

    def pull(x: jax.Array, mass: jax.Array) -> jax.Array:
        apart = x[None] - x[:, None]
        return jnp.einsum("ijd,ij,j->id", apart, (jnp.sum(apart**2, -1) + 0.01) ** -1.5, mass)

    def step(state: Any, mass: jax.Array) -> Any:
        v = state["v"] + 0.005 * pull(state["x"], mass)
        x = state["x"] + 0.01 * v
        v = v + 0.005 * pull(x, mass)
        return {"x": x, "v": v, "time": state["time"] + 0.01}, {"kinetic": 0.5 * jnp.sum(mass[:, None] * v**2)}

    count = 104 * s
    state = {"x": shape(count, 3), "v": shape(count, 3), "time": shape()}
    return Case(step, (state, shape(count)), ((r"state/.*", STATE), (r"mass", INPUT)))


def molecules(s: int = 1) -> Case:
    """Forces are gradients of an energy over lists of neighbours; a thermostat with its own variable and a key."""
    count, near = 96 * s, 16

    def energy(x: jax.Array, neighbours: jax.Array, box: jax.Array) -> jax.Array:
        apart = x[:, None] - x[neighbours]
        apart = apart - box * jnp.round(apart / box)
        inverse = 1 / (jnp.sum(apart**2, -1) + 0.1) ** 3
        return 2 * jnp.sum(inverse**2 - inverse)

    def step(state: Any, neighbours: jax.Array, box: jax.Array) -> Any:
        key, own = jax.random.split(state["key"])
        force = -jax.grad(energy)(state["position"], neighbours, box)
        momentum = state["momentum"] * jnp.exp(-0.01 * state["friction"]) + 0.01 * force
        momentum = momentum + 0.01 * jax.random.normal(own, momentum.shape)
        position = state["position"] + 0.01 * momentum / state["mass"][:, None]
        friction = state["friction"] + 0.01 * (jnp.mean(momentum**2) - 1)
        return {**state, "position": position, "momentum": momentum, "friction": friction, "key": key}

    state = {"position": shape(count, 3), "momentum": shape(count, 3), "mass": shape(count), "friction": shape()}
    truth = ((r"state/key", COUNTER), (r"state/mass", INPUT), (r"state/.*", STATE), (r"neighbours|box", INPUT))
    return Case(step, ({**state, "key": KEY}, tokens(count, near), shape(3)), truth)


def ensemble_filter(s: int = 1) -> Case:
    """An ensemble Kalman filter: members run the model by vmap, then are drawn to what was observed."""
    members, size, seen = 40 * s, 88 * s, 24 * s

    def forecast(x: jax.Array) -> jax.Array:
        return x + 0.01 * ((jnp.roll(x, -1) - jnp.roll(x, 2)) * jnp.roll(x, 1) - x + 8.0)

    def step(ensemble: jax.Array, observed: jax.Array, operator: jax.Array, key: jax.Array) -> Any:
        x = jax.vmap(forecast)(ensemble)
        deviation = x - x.mean(0)
        y = x @ operator.T
        y_deviation = y - y.mean(0)
        cross = deviation.T @ y_deviation / (members - 1)
        own = y_deviation.T @ y_deviation / (members - 1) + jnp.eye(seen)
        noise = jax.random.normal(key, y.shape)
        x = x + jnp.linalg.solve(own, (observed + noise - y).T).T @ cross.T
        return x, x.mean(0), deviation.std(0)

    truth = ((r"ensemble", STATE), (r"observed", INPUT), (r"operator", PARAMETER), (r"key", COUNTER))
    return Case(step, (shape(members, size), shape(seen), shape(seen, size), KEY), truth, donated=(0,))


def kalman_bank(s: int = 1) -> Case:
    """Many Kalman filters by vmap, each with its own mean and covariance; the model is shared."""
    count, size, seen = 72 * s, 8, 4

    def one(mean: Any, cov: Any, z: Any, model: Any) -> Any:
        mean, cov = model["f"] @ mean, model["f"] @ cov @ model["f"].T + model["q"]
        innovation = model["h"] @ cov @ model["h"].T + model["r"]
        gain = jnp.linalg.solve(innovation, model["h"] @ cov).T
        return mean + gain @ (z - model["h"] @ mean), cov - gain @ model["h"] @ cov

    def step(tracks: Any, z: Any, model: Any) -> Any:
        mean, cov = jax.vmap(one, in_axes=(0, 0, 0, None))(tracks["mean"], tracks["covariance"], z, model)
        return {"mean": mean, "covariance": cov}

    model = {"f": shape(size, size), "q": shape(size, size), "h": shape(seen, size), "r": shape(seen, seen)}
    tracks = {"mean": shape(count, size), "covariance": shape(count, size, size)}
    return Case(
        step, (tracks, shape(count, seen), model), ((r"tracks/.*", STATE), (r"z", INPUT), (r"model/.*", PARAMETER))
    )


def particle_in_cell(s: int = 1) -> Case:
    """Charges are scattered to a grid, a field is solved by FFT and gathered back."""
    cells, count = 64 * s, 416 * s

    def step(x: jax.Array, v: jax.Array) -> Any:
        index = jnp.floor(x).astype(jnp.int32) % cells
        density = jnp.zeros(cells).at[index].add(1.0) - count / cells
        k = 2 * jnp.pi * jnp.fft.rfftfreq(cells)
        field = jnp.fft.irfft(jnp.where(k > 0, jnp.fft.rfft(density) / (1j * jnp.where(k > 0, k, 1)), 0), cells)
        v = v - 0.1 * field[index]
        return (x + 0.1 * v) % cells, v, jnp.sum(field**2)

    return Case(step, (shape(count), shape(count)), ((r"x|v", STATE),))


def spectral_flow(s: int = 1) -> Case:
    """Vorticity in Fourier space, with a forcing and four stages of Runge and Kutta."""
    size = 48 * s

    def step(w: jax.Array, forcing: jax.Array) -> Any:
        kx, ky = jnp.fft.fftfreq(size)[:, None] * size, jnp.fft.rfftfreq(size)[None] * size
        square = jnp.where(kx**2 + ky**2 > 0, kx**2 + ky**2, 1)

        def change(w: jax.Array) -> jax.Array:
            hat = jnp.fft.rfft2(w)
            psi = hat / square
            u, v = jnp.fft.irfft2(1j * ky * psi), jnp.fft.irfft2(-1j * kx * psi)
            return -u * jnp.fft.irfft2(1j * kx * hat) - v * jnp.fft.irfft2(1j * ky * hat) + forcing

        a = change(w)
        b = change(w + 0.005 * a)
        c = change(w + 0.005 * b)
        d = change(w + 0.01 * c)
        return w + 0.01 / 6 * (a + 2 * b + 2 * c + d), {"enstrophy": jnp.mean(w**2)}

    return Case(step, (shape(size, size), shape(size, size)), ((r"w", STATE), (r"forcing", INPUT)))


def physics_informed(s: int = 1) -> Case:
    """A network that solves an equation: second derivatives along its inputs, and a loss on the border."""
    params, rule = mlp_shapes(2, 48 * s, 56 * s, 1), optax.adam(1e-3)

    def step(params: Any, opt_state: Any, inside: Any, border: Any, values: Any) -> Any:
        def loss_of(params: Any) -> Any:
            def u(p: jax.Array) -> jax.Array:
                for w in params[:-1]:
                    p = jnp.tanh(p @ w["w"] + w["b"])
                return (p @ params[-1]["w"] + params[-1]["b"])[0]

            def residual(p: jax.Array) -> jax.Array:
                first, second = jax.grad(u)(p), jax.hessian(u)(p)
                return first[1] + u(p) * first[0] - 0.01 * second[0, 0]

            inner = jnp.mean(jax.vmap(residual)(inside) ** 2)
            return inner + jnp.mean((jax.vmap(u)(border) - values) ** 2), inner

        (loss, inner), gradients = jax.value_and_grad(loss_of, has_aux=True)(params)
        updates, opt_state = rule.update(gradients, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss, inner

    truth = ((r".*count", COUNTER), (r"params/.*", PARAMETER), (r"opt_state/.*", OPTIMIZER), (r".*", INPUT))
    points = (shape(120 * s, 2), shape(40 * s, 2), shape(40 * s))
    return Case(step, (params, jax.eval_shape(rule.init, params), *points), truth)


def fourier_operator(s: int = 1) -> Case:
    """A neural operator: weights on the lowest Fourier modes, as two arrays of floats each, and a pass beside them."""
    width, modes, size = 24 * s, 8, 32
    block = {
        "real": shape(width, width, modes, modes),
        "imag": shape(width, width, modes, modes),
        "w": shape(width, width),
        "b": shape(width),
    }
    params = {"lift": shape(3, width), "blocks": [block] * 3, "project": shape(width, 1)}
    rule = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(optax.cosine_decay_schedule(1e-3, 100)))

    def step(state: Any, batch: Any) -> Any:
        def loss_of(p: Any) -> jax.Array:
            x = batch["a"] @ p["lift"]
            for b in p["blocks"]:
                hat = jnp.fft.rfft2(x, axes=(1, 2))[:, :modes, :modes]
                hat = jnp.einsum("bxyi,ioxy->bxyo", hat, jax.lax.complex(b["real"], b["imag"]))
                full = jnp.zeros((x.shape[0], size, size // 2 + 1, width), hat.dtype).at[:, :modes, :modes].set(hat)
                x = jax.nn.gelu(jnp.fft.irfft2(full, axes=(1, 2)) + x @ b["w"] + b["b"])
            error = x @ p["project"] - batch["u"]
            return jnp.mean(jnp.sqrt(jnp.sum(error**2, (1, 2, 3)) / jnp.sum(batch["u"] ** 2, (1, 2, 3))))

        loss, gradients = jax.value_and_grad(loss_of)(state["params"])
        updates, opt_state = rule.update(gradients, state["opt_state"], state["params"])
        new = optax.apply_updates(state["params"], updates)
        return {"params": new, "opt_state": opt_state}, {"loss": loss, **norms({"g": gradients})}

    state = {"params": params, "opt_state": jax.eval_shape(rule.init, params)}
    return Case(step, (state, {"a": shape(16 * s, size, size, 3), "u": shape(16 * s, size, size, 1)}), TRAINING)


def controlled_physics(s: int = 1) -> Case:
    """Forces on a chain of springs are learned through forty steps of its simulation; one example."""
    count, rule = 80 * s, optax.adam(0.01)

    def step(forces: jax.Array, opt_state: Any, start: Any, goal: Any) -> Any:
        def loss_of(forces: jax.Array) -> jax.Array:
            def advance(state: Any, force: jax.Array) -> Any:
                x, v = state
                stretch = jnp.diff(x, axis=0) - 1.0
                pull = jnp.pad(stretch, ((0, 1), (0, 0))) - jnp.pad(stretch, ((1, 0), (0, 0)))
                v = 0.99 * v + 0.05 * (pull + force)
                return (x + 0.05 * v, v), None

            (x, _), _ = jax.lax.scan(advance, (start["x"], start["v"]), forces)
            return jnp.mean((x - goal) ** 2) + 1e-3 * jnp.mean(forces**2)

        loss, gradient = jax.value_and_grad(loss_of)(forces)
        updates, opt_state = rule.update(gradient, opt_state)
        return optax.apply_updates(forces, updates), opt_state, loss

    forces = shape(40, count, 3)
    truth = ((r".*count", COUNTER), (r"forces", PARAMETER), (r"opt_state/.*", OPTIMIZER), (r"start/.*|goal", INPUT))
    start = {"x": shape(count, 3), "v": shape(count, 3)}
    return Case(step, (forces, jax.eval_shape(rule.init, forces), start, shape(count, 3)), truth)


def evolution(s: int = 1) -> Case:
    """An evolution strategy: pairs of noise around the weights, ranks of their errors, momentum. No gradients."""
    params, pairs = mlp_shapes(24, 64 * s, 48 * s, 8), 16

    def step(state: Any, x: Any, y: Any) -> Any:
        key, own = jax.random.split(state["key"])
        leaves, tree = jax.tree.flatten(state["params"])
        noise = [
            jax.random.normal(k, (pairs, *p.shape))
            for k, p in zip(jax.random.split(own, len(leaves)), leaves, strict=True)
        ]

        def error(signed: Any) -> jax.Array:
            moved = tree.unflatten([p + 0.05 * n for p, n in zip(leaves, signed, strict=True)])
            return jnp.mean((mlp(moved, x) - y) ** 2)

        errors = jnp.concatenate([jax.vmap(error)(noise), jax.vmap(error)([-n for n in noise])])
        ranks = jnp.argsort(jnp.argsort(errors)) / (2 * pairs - 1) - 0.5
        weight = ranks[:pairs] - ranks[pairs:]
        estimate = tree.unflatten([jnp.tensordot(weight, n, 1) / pairs for n in noise])
        momentum = jax.tree.map(lambda m, g: 0.9 * m + g, state["momentum"], estimate)
        new = jax.tree.map(lambda p, m: p - 0.1 * m, state["params"], momentum)
        return {"params": new, "momentum": momentum, "key": key}, {"best": errors.min(), "mean": errors.mean()}

    state = {"params": params, "momentum": params, "key": KEY}
    truth = (
        (r"state/key", COUNTER),
        (r"state/params/.*", PARAMETER),
        (r"state/momentum/.*", OPTIMIZER),
        (r"x|y", INPUT),
    )
    return Case(step, (state, shape(40 * s, 24), shape(40 * s, 8)), truth)


def population(s: int = 1) -> Case:
    """Population-based training by vmap: each member has weights, moments and a rate; the worst copies the best."""
    members, rule = 8, optax.inject_hyperparams(optax.adam)(1e-3)
    params = mlp_shapes(40, 96 * s, 64 * s, 16)
    stacked = jax.tree.map(lambda p: shape(members, *p.shape), params)

    def train(params: Any, opt_state: Any, x: Any, y: Any) -> Any:
        loss, gradients = jax.value_and_grad(lambda p: jnp.mean((mlp(p, x) - y) ** 2))(params)
        updates, opt_state = rule.update(gradients, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    def step(params: Any, opt_state: Any, x: Any, y: Any) -> Any:
        params, opt_state, loss = jax.vmap(train, in_axes=(0, 0, None, None))(params, opt_state, x, y)
        order = jnp.argsort(loss)
        source = jnp.arange(members).at[order[-2:]].set(order[:2])
        params, opt_state = jax.tree.map(lambda a: a[source], (params, opt_state))
        return params, opt_state, loss

    opt_state = jax.eval_shape(jax.vmap(rule.init), stacked)
    truth = ((r".*count", COUNTER), (r"params/.*", PARAMETER), (r"opt_state/.*", OPTIMIZER), (r"x|y", INPUT))
    return Case(step, (stacked, opt_state, shape(56 * s, 40), shape(56 * s, 16)), truth)


def deep_ensemble(s: int = 1) -> Case:
    """Members that differ in their weights alone, each with batches of its own, trained by vmap of a whole step."""
    members, rule = 16, optax.adamw(1e-3)
    params = mlp_shapes(32, 80 * s, 72 * s, 2)
    stacked = jax.tree.map(lambda p: shape(members, *p.shape), params)

    def train(params: Any, opt_state: Any, x: Any, y: Any) -> Any:
        def loss_of(p: Any) -> jax.Array:
            mean, log = jnp.split(mlp(p, x), 2, -1)
            return jnp.mean(log + (mean - y) ** 2 * jnp.exp(-log))

        loss, gradients = jax.value_and_grad(loss_of)(params)
        updates, opt_state = rule.update(gradients, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, {"loss": loss, "norm": optax.global_norm(gradients)}

    def step(state: Any, x: Any, y: Any) -> Any:
        params, opt_state, metrics = jax.vmap(train)(state["params"], state["opt_state"], x, y)
        return {"params": params, "opt_state": opt_state}, metrics

    state = {"params": stacked, "opt_state": jax.eval_shape(jax.vmap(rule.init), stacked)}
    truth = (*TRAINING, (r"x|y", INPUT))
    return Case(step, (state, shape(members, 24 * s, 32), shape(members, 24 * s, 1)), truth)


def automata(s: int = 1) -> Case:
    """Neural cellular automata: a pool of grids, some of which are drawn, grown for eight steps and put back."""
    channels, hidden, rule = 16, 48 * s, optax.adam(1e-3)
    params = {
        "perceive": shape(3, 3, 1, 3 * channels),
        "w": shape(3 * channels, hidden),
        "out": shape(hidden, channels),
    }

    def step(state: Any, goal: Any, key: Any) -> Any:
        drawn = jax.random.choice(key, state["pool"].shape[0], (8 * s,), replace=False)

        def loss_of(p: Any) -> Any:
            def grow(x: jax.Array, _: Any) -> Any:
                seen = jax.lax.conv_general_dilated(
                    x,
                    p["perceive"],
                    (1, 1),
                    "SAME",
                    dimension_numbers=("NHWC", "HWIO", "NHWC"),
                    feature_group_count=channels,
                )
                return x + jax.nn.relu(seen @ p["w"]) @ p["out"], None

            x, _ = jax.lax.scan(grow, state["pool"][drawn], None, length=8)
            return jnp.mean((x[..., :4] - goal) ** 2), x

        (loss, x), gradients = jax.value_and_grad(loss_of, has_aux=True)(state["params"])
        updates, opt_state = rule.update(gradients, state["opt_state"])
        new = optax.apply_updates(state["params"], updates)
        return {"params": new, "opt_state": opt_state, "pool": state["pool"].at[drawn].set(x)}, loss

    state = {"params": params, "opt_state": jax.eval_shape(rule.init, params), "pool": shape(64 * s, 24, 24, channels)}
    truth = ((r"state/pool", STATE), *TRAINING, (r"goal", INPUT), (r"key", COUNTER))
    return Case(step, (state, shape(24, 24, 4), KEY), truth)


def implicit_heat(s: int = 1) -> Case:
    """Heat in three dims by an implicit step that conjugate gradients solve, in a while loop."""

    def laplace(t: jax.Array) -> jax.Array:
        padded = jnp.pad(t, 1, mode="edge")
        total = -6 * t
        for dim in range(3):
            for start in (0, 2):
                index = [slice(1, -1)] * 3
                index[dim] = slice(start, start + t.shape[dim])
                total = total + padded[tuple(index)]
        return total

    def step(temperature: jax.Array, source: jax.Array, conductivity: jax.Array) -> Any:
        def operator(t: jax.Array) -> jax.Array:
            return t - 0.1 * conductivity * laplace(t)

        new, _ = jax.scipy.sparse.linalg.cg(operator, temperature + 0.1 * source, x0=temperature, maxiter=10)
        return new, jnp.max(jnp.abs(new - temperature))

    grid = shape(16 * s, 24 * s, 32 * s)
    return Case(step, (grid, grid, grid), ((r"temperature", STATE), (r"source|conductivity", INPUT)))


ROWS = [
    Row("shallow water", "simulation", shallow_water),
    Row("lattice Boltzmann", "simulation", lattice_boltzmann),
    Row("bodies, all pairs", "simulation", bodies),
    Row("molecules, thermostat", "simulation", molecules),
    Row("ensemble Kalman filter", "simulation", ensemble_filter),
    Row("Kalman filters by vmap", "simulation", kalman_bank),
    Row("particles in cells", "simulation", particle_in_cell),
    Row("spectral flow", "simulation", spectral_flow),
    Row("heat, implicit", "simulation", implicit_heat),
    Row("equation in the loss", "plain JAX", physics_informed),
    Row("population, copied", "optax", population),
    Row("Fourier operator", "optax", fourier_operator),
    Row("forces through a simulation", "optax", controlled_physics),
    Row("evolution strategy", "plain JAX", evolution),
    Row("cellular automata, pool", "optax", automata),
    Row("ensemble by vmap", "optax", deep_ensemble),
]
