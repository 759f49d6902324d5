"""A pytest plugin: the helpers that the archives of Python clients lack, and a report of all tests in JSON.

KEELSON_REPORT is the path of the report, KUBECONFIG that of the administrator's kubeconfig.
"""

import asyncio
import importlib
import json
import os
import pathlib
import subprocess
import sys
import types

outcomes = {}


def pytest_runtest_logreport(report):
    """Keeps the worst outcome of the phases of a test."""
    known = outcomes.get(report.nodeid)
    if report.failed or known is None or (report.skipped and known["outcome"] == "passed"):
        message = str(report.longrepr)[-4000:] if not report.passed else ""
        outcomes[report.nodeid] = {"outcome": report.outcome, "message": message}


def pytest_collectreport(report):
    """A file that cannot be imported counts as a failed test."""
    if report.failed:
        outcomes[report.nodeid] = {"outcome": "failed", "message": str(report.longrepr)[-4000:]}


def pytest_addoption(parser):
    """The options of pytest-kind that suites name."""
    parser.addoption("--keep-cluster", action="store_true", default=True)


def pytest_sessionfinish():
    pathlib.Path(os.environ["KEELSON_REPORT"]).write_text(json.dumps(outcomes), "utf-8")


def provide(name, **members):
    """Makes a module importable, with the packages above it that do not exist."""
    parent, _, own = name.rpartition(".")
    module = types.ModuleType(name)
    module.__path__ = []
    module.__dict__.update(members)
    sys.modules[name] = module
    if parent == "":
        return
    try:
        importlib.import_module(parent)
    except ModuleNotFoundError:
        provide(parent)
    setattr(sys.modules[parent], own, module)


def configuration():
    """The `get_e2e_configuration` of the official client."""
    from kubernetes import client, config

    found = client.Configuration()
    config.load_kube_config(client_configuration=found)
    return found


def configuration_of(package):
    """The `get_e2e_configuration` of an asynchronous client."""

    def get_e2e_configuration():
        client = importlib.import_module(f"{package}.client")
        config = importlib.import_module(f"{package}.config")
        found = client.Configuration()
        asyncio.run(config.load_kube_config(client_configuration=found))
        return found

    return get_e2e_configuration


class KindCluster:
    """The cluster of pytest-kind: the server that KUBECONFIG names."""

    def __init__(self, name, image=None):
        self.name = name
        self.kubectl_path = "kubectl"
        self.kubeconfig_path = pathlib.Path(os.environ["KUBECONFIG"])

    def create(self):
        """Creates a Pod of the system, of which kind has some."""
        words = ["run", "system", "--namespace=kube-system", "--image=pause"]
        self.kubectl(*words)

    def kubectl(self, *words, **more):
        env = {**os.environ, "KUBECONFIG": str(self.kubeconfig_path)}
        return subprocess.check_output(["kubectl", *words], env=env, encoding="utf-8", **more)


provide("kubernetes.e2e_test.base", get_e2e_configuration=configuration)
for each in ("kubernetes.aio", "kubernetes_asyncio"):
    provide(f"{each}.e2e_test.base", get_e2e_configuration=configuration_of(each))
provide("pytest_kind.cluster", KindCluster=KindCluster)
