/** The tests of a suite that ran. */
export interface TestResult {
  readonly passed: number;
  /** The failed tests with the ends of their messages. */
  readonly failed: readonly string[];
}

/** The tests of a client in another language that need a server. */
export interface ClientSuite {
  readonly name: string;
  /** The tests that pass, on both servers. */
  readonly passes: number;
  /** The tests that do not run, with the reason. */
  readonly leftOut: Readonly<Record<string, string>>;
}

/** A suite that pytest runs. */
export interface PythonSuite extends ClientSuite {
  /** The source archive in whose folder it runs. Default: the installed packages. */
  readonly source?: string;
  readonly args: readonly string[];
}

/** Why a test of a Python client does not pass on either server. */
const needsContainers = 'needs running containers';

const oldDefinition = 'creates a definition in v1beta1, which Kubernetes 1.22 removed';
const unestablished = 'does not wait until its definition is established';

/** The suites of Python clients. */
export const pythonSuites: readonly PythonSuite[] = [
  {
    name: 'kopf 1.45, its examples as operators',
    source: 'kopf',
    // kopf's runner leaves sockets to the garbage collector, whose warnings are in the output of whichever test runs then.
    args: [
      '-W',
      'ignore::ResourceWarning',
      '-p',
      'no:unraisableexception',
      '--only-e2e',
      '--timeout=120',
      'tests/e2e',
      'examples',
    ],
    passes: 16,
    leftOut: {
      'tests/e2e/test_examples.py::test_all_examples_are_runnable[17-admission]':
        'needs an unreleased version of the library that makes its certificates',
    },
  },
  {
    name: 'the Python client 37.0, its dynamic client',
    args: [
      '--timeout=100',
      'kubernetes/dynamic/test_client.py',
      'kubernetes/dynamic/test_discovery.py',
      'kubernetes/aio/dynamic',
    ],
    passes: 21,
    leftOut: {
      'kubernetes/aio/dynamic/client_test.py::TestDynamicClient::test_cluster_custom_resources':
        unestablished,
      'kubernetes/aio/dynamic/client_test.py::TestDynamicClient::test_namespaced_custom_resources':
        unestablished,
      'kubernetes/aio/dynamic/client_test.py::TestDynamicClient::test_server_side_apply_api':
        'applies a Deployment as a Pod',
      'kubernetes/dynamic/test_client.py::TestDynamicClient::test_async_namespaced_custom_resources':
        oldDefinition,
      'kubernetes/dynamic/test_client.py::TestDynamicClient::test_cluster_custom_resources':
        oldDefinition,
      'kubernetes/dynamic/test_client.py::TestDynamicClient::test_namespaced_custom_resources':
        oldDefinition,
      'kubernetes/dynamic/test_discovery.py::TestDiscoverer::test_cache_decoder_resource_and_subresource':
        'fails on kube-apiserver too',
    },
  },
  {
    name: 'kr8s 0.20, its tests of objects and of the API',
    source: 'kr8s',
    // Its own options need the cluster of kind and measure coverage.
    args: [
      '--override-ini=addopts=',
      '--override-ini=asyncio_mode=auto',
      '--timeout=100',
      'kr8s/tests/test_objects.py',
      'kr8s/tests/test_api.py',
    ],
    passes: 148,
    leftOut: {
      'kr8s/tests/test_api.py::test_api_timeout': 'needs a response that takes longer than 10 µs',
      'kr8s/tests/test_objects.py::test_adoption': needsContainers,
      'kr8s/tests/test_objects.py::test_cast_to_from_kubernetes':
        'does not run with version 37 of the official client',
      'kr8s/tests/test_objects.py::test_multiple_bind_addresses_port_forward': needsContainers,
      'kr8s/tests/test_objects.py::test_pod_exec': needsContainers,
      'kr8s/tests/test_objects.py::test_pod_exec_error': needsContainers,
      'kr8s/tests/test_objects.py::test_pod_exec_not_ready': needsContainers,
      'kr8s/tests/test_objects.py::test_pod_exec_timeout': needsContainers,
      'kr8s/tests/test_objects.py::test_pod_exec_to_file': needsContainers,
      'kr8s/tests/test_objects.py::test_pod_logs': needsContainers,
      'kr8s/tests/test_objects.py::test_pod_port_forward_context_manager': needsContainers,
      'kr8s/tests/test_objects.py::test_pod_port_forward_context_manager_sync': needsContainers,
      'kr8s/tests/test_objects.py::test_pod_port_forward_start_stop': needsContainers,
      'kr8s/tests/test_objects.py::test_pod_wait_ready':
        'waits until a Pod that ends is not ready, which takes no time here',
      'kr8s/tests/test_objects.py::test_pod_wait_ready_sync':
        'waits until a Pod that ends is not ready, which takes no time here',
      'kr8s/tests/test_objects.py::test_service_exec': needsContainers,
      'kr8s/tests/test_objects.py::test_service_port_forward_context_manager': needsContainers,
      'kr8s/tests/test_objects.py::test_service_port_forward_start_stop': needsContainers,
    },
  },
];

/** The tests of kube-rs that are marked with `#[ignore]`. */
export const kubeRs: ClientSuite = {
  name: 'kube-rs 5.0, the ignored tests of its crates',
  passes: 26,
  leftOut: {
    'client::auth::test::exec_token_refresh_does_not_block_runtime':
      'measures time and needs no server',
    'test::can_get_pod_logs_and_evict': needsContainers,
    'test::pod_can_exec_and_write_to_stdin': needsContainers,
  },
};
