"""What holds for all tests."""

from hypothesis import settings

# how long an example takes says more about the machine than about the code
settings.register_profile("oncebitten", deadline=None)
settings.load_profile("oncebitten")
