"""Random numbers: those of the published generator, the same on any batch size, even and independent."""

import torch

from attnviz.scenes.simulator.chance import mixed, uniform

GAMMA = 0x9E3779B97F4A7C15


def test_the_steps_are_those_of_splitmix64():
    # The first three numbers of SplitMix64 with seed 1234567 (Rosetta Code, “Pseudo-random numbers/Splitmix64”).
    expected = (6457827717110365317, 3203168211198807973, 9817491932198370423)
    for step, number in enumerate(expected):
        state = (1234567 + step * GAMMA) % 2**64
        signed = state - 2**64 if state >= 2**63 else state
        assert int(mixed(torch.tensor(signed))) % 2**64 == number


def test_a_number_depends_on_its_scene_alone():
    together = uniform(3, torch.arange(100), "speed", 4)
    assert torch.equal(together[57:60], uniform(3, torch.tensor([57, 58, 59]), "speed", 4))
    assert torch.equal(together[57], uniform(3, torch.tensor([57]), "speed", 4)[0])


def test_other_seeds_scenes_and_purposes_give_other_numbers():
    scenes = torch.arange(50)
    first = uniform(3, scenes, "speed")
    assert len(set(first[:, 0].tolist())) == 50
    assert not (first == uniform(4, scenes, "speed")).any()
    assert not (first == uniform(3, scenes, "place")).any()
    assert not (first == uniform(3, scenes + 1, "speed")).any()


def test_numbers_are_even_and_independent():
    found = uniform(0, torch.arange(40_000), "any", 2)
    assert found.min() >= 0
    assert found.max() < 1
    # Five standard errors: of a mean 0.289 / √n, of a correlation 1 / √n.
    assert ((found.mean(dim=0) - 0.5).abs() < 5 * 0.2887 / 200).all()
    assert abs(float(torch.corrcoef(found.T)[0, 1])) < 5 / 200
    tenths = torch.bincount((found[:, 0] * 10).long(), minlength=10)
    # Chi-square with 9 degrees of freedom: 27.9 is passed once in a thousand.
    assert float((((tenths - 4000) ** 2) / 4000).sum()) < 27.9
