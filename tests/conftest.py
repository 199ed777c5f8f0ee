"""What holds for all tests."""

import os

from hypothesis import settings

# a model is a folder of a package: nothing is ever looked for on a network
os.environ["HF_HUB_OFFLINE"] = "1"

# how long an example takes says more about the machine than about the code
settings.register_profile("oncebitten", deadline=None)
settings.load_profile("oncebitten")
