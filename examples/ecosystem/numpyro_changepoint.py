"""When did the rate change? NumPyro samples a converted log density that has a loop with branches.

Counts of events in each year have one rate before an unknown year, and another one from then on. The log density is plain
Python, which goes through the years one after the other; NumPyro's sampler differentiates it.

Source of the data: Jarrett, "A note on the intervals between coal-mining disasters", 1979.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpyro.infer import MCMC, NUTS

from autograph_lite import to_graph

FIRST_YEAR = 1851
DISASTERS = np.array(
    [
        *(4, 5, 4, 0, 1, 4, 3, 4, 0, 6, 3, 3, 4, 0, 2, 6, 3, 3, 5, 4, 5, 3, 1, 4, 4, 1, 5, 5),
        *(3, 4, 2, 5, 2, 2, 3, 4, 2, 1, 3, 2, 2, 1, 1, 1, 1, 3, 0, 0, 1, 0, 1, 1, 0, 0, 3, 1),
        *(0, 3, 2, 2, 0, 1, 1, 1, 0, 1, 0, 1, 0, 0, 0, 2, 1, 0, 0, 0, 1, 1, 0, 2, 3, 3, 1, 1),
        *(2, 1, 1, 1, 1, 2, 4, 2, 0, 0, 1, 4, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0),
    ],
    np.float32,
)


def potential(at: dict[str, Any], counts: Any) -> Any:
    """Minus the logarithm of the density, up to a constant.

    Args:
      at: "rates", the logarithms of the two rates, and "year", a real number that the logistic function takes to the
        change's place between the first year and the last.
      counts: of each year.
    """
    place = jax.nn.sigmoid(at["year"])
    change = place * len(counts)
    early, late = at["rates"]
    # Rates are exponential, so that their logarithms have these densities; each place is as likely as another.
    total = early - jnp.exp(early) + late - jnp.exp(late) + jnp.log(place * (1 - place))
    for year, count in enumerate(counts):
        if year + 1 <= change:
            rate = early
        elif year < change:
            # The year of the change has a part of each rate.
            share = change - year
            rate = jnp.log(share * jnp.exp(early) + (1 - share) * jnp.exp(late))
        else:
            rate = late
        total += count * rate - jnp.exp(rate)
    return -total


converted = to_graph(potential)


def sample(draws: int = 500, seed: int = 0) -> dict[str, Any]:
    """Draws of the rates and of the year of the change."""
    sampler = MCMC(
        NUTS(potential_fn=lambda at: converted(at, jnp.asarray(DISASTERS))),
        num_warmup=draws,
        num_samples=draws,
        progress_bar=False,
    )
    start = {"rates": jnp.zeros(2), "year": jnp.float32(0)}
    sampler.run(jax.random.key(seed), init_params=start)
    found = sampler.get_samples()
    return {
        "rates": jnp.exp(found["rates"]),
        "year": FIRST_YEAR + jax.nn.sigmoid(found["year"]) * len(DISASTERS),
    }


if __name__ == "__main__":
    found = sample()
    early, late = found["rates"].mean(axis=0)
    print(f"{early:.2f} disasters a year until {found['year'].mean():.0f}, {late:.2f} from then on")
