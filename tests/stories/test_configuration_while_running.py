"""The bot goes on by the configuration as it is written now, as the studio and the commands do."""

from collections.abc import Iterator

import pytest

from bot.app import App
from bot.running import run
from bot.settings import load
from tests.studio import EVE, WEEK, House


class Bot:
    """One process that was started before anything changed."""

    def __init__(self, house: House) -> None:
        config = house.root / "config/bot.toml"
        self.house, self.said = house, list[str]()
        self.app = App(load(config, {}), config=config)

    def tick(self) -> list[str]:
        self.said.clear()
        run(self.app, clock=lambda: self.house.now, once=True, say=self.said.append)
        return self.said


@pytest.fixture
def bot(house: House) -> Iterator[Bot]:
    made = Bot(house)
    yield made
    made.app.store.close()


def published(bot: Bot) -> bool:
    """Whether the bot publishes the issue when it looks."""
    return f"ai-papers/{WEEK}: published" in bot.tick()


def approve(house: House) -> None:
    ann = house.at_home()
    answer = ann.post("/studio/ai-papers/2025-W17/decide", csrf=ann.word(), verb="approved", seen=house.hash)
    assert answer.status_code == 303


def test_a_yes_by_a_new_configuration_is_one_for_the_bot_that_runs(house: House, bot: Bot) -> None:
    house.later(hours=23)
    assert not published(bot)
    house.rewrite('title = "AI Papers of the Week"', 'title = "Papers"')
    house.app = house.studio.app
    approve(house)
    house.now = EVE.replace(day=25)
    assert published(bot)


def test_where_a_configuration_cannot_be_read_that_is_told_and_the_one_before_holds(
    house: House, bot: Bot
) -> None:
    approve(house)
    house.rewrite("at = ", "att = ")
    house.now = EVE.replace(day=25)
    told, *said = bot.tick()
    assert "config/newsletters/ai-papers.toml: schedule.at: missing" in told
    assert told.endswith("until that is mended, the configuration holds as it was")
    assert f"ai-papers/{WEEK}: published" in said
