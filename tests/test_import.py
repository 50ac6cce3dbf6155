import subprocess
import sys


def _run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_importing_attnviz_loads_neither_torch_nor_transformers_nor_streamlit():
    heavy = "{'torch', 'transformers', 'streamlit', 'plotly', 'numpy', 'pandas'}"
    assert _run(f"import sys, attnviz; print(sorted({heavy} & set(sys.modules)))") == "[]"


def test_importing_attnviz_takes_a_small_part_of_a_bare_import_of_torch():
    code = (
        "import time; a = time.perf_counter(); import attnviz; b = time.perf_counter(); import torch;"
        "c = time.perf_counter(); print((b - a) / (c - b))"
    )
    # 0.1 s where torch takes 2.4 s
    assert float(_run(code)) < 0.04


def test_every_public_name_can_be_reached():
    code = "import attnviz; print(all(getattr(attnviz, name) is not None for name in attnviz.__all__))"
    assert _run(code) == "True"


def test_a_name_that_is_not_there_says_so():
    code = "import attnviz\ntry: attnviz.nothing\nexcept AttributeError as error: print(error)"
    assert _run(code) == "module 'attnviz' has no attribute 'nothing'"
