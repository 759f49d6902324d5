/** A group of the sidebar, with the paths of its pages from the root of the repository. */
export interface Chapter {
  readonly title: string;
  readonly pages: readonly string[];
}

const guides = (...names: readonly string[]): string[] =>
  names.map((name) => `docs/guides/${name}.md`);

const designs = (...names: readonly string[]): string[] =>
  names.map((name) => `docs/designs/${name}.md`);

/** The pages of the site in the order in which one learns. A test compares them with the files of the repository. */
export const chapters: readonly Chapter[] = [
  {
    title: 'Start',
    pages: [
      'README.md',
      ...guides(
        'first-operator',
        'development',
        'growing-a-project',
        'testing',
        'testing-with-time',
        'testing-several-versions',
        'testing-with-workloads',
        'deploy',
      ),
    ],
  },
  {
    title: 'Kinds and objects',
    pages: guides(
      'define-a-kind',
      'types-from-crds',
      'conversion',
      'upgrade-a-crd',
      'policies',
      'webhooks',
      'reconcile-results',
      'status-and-finalizers',
      'dependents',
      'permissions',
      'namespaces',
    ),
  },
  {
    title: 'Cache and watches',
    pages: guides(
      'caching',
      'indexes',
      'events-to-requests',
      'dynamic-watches',
      'track',
      'daemons',
      'optional-kinds',
      'more-clusters',
      'fleets',
    ),
  },
  {
    title: 'In production',
    pages: guides(
      'high-availability',
      'sharding',
      'shutdown',
      'priorities-and-fairness',
      'memory',
      'event-loop',
      'observability',
      'debugging',
      'inspector',
      'own-metrics',
      'securing-metrics',
      'durable-intent',
      'runtimes',
    ),
  },
  {
    title: 'Coming from',
    pages: [
      'docs/coming-from-controller-runtime.md',
      'docs/coming-from-kubebuilder.md',
      'docs/coming-from-client-node.md',
      'docs/coming-from-kopf.md',
      'docs/coming-from-josdk.md',
      'docs/coming-from-pepr.md',
    ],
  },
  {
    title: 'Look up',
    pages: [
      'docs/errors.md',
      'docs/metrics.md',
      'docs/compatibility.md',
      'docs/guarantees.md',
      'docs/faults.md',
      'docs/glossary.md',
      'docs/apiserver-differences.md',
      'CHANGELOG.md',
    ],
  },
  {
    title: 'Packages',
    pages: [
      'packages/runtime/manager/README.md',
      'packages/runtime/webhook/README.md',
      'packages/runtime/inspector/README.md',
      'packages/runtime/x509/README.md',
      'packages/runtime/intent/README.md',
      'packages/runtime/fleet/README.md',
      'packages/runtime/informer/README.md',
      'packages/runtime/client/README.md',
      'packages/runtime/workqueue/README.md',
      'packages/runtime/apimachinery/README.md',
      'packages/runtime/wire/README.md',
      'packages/toolkit/schema/README.md',
      'packages/toolkit/cli/README.md',
      'packages/toolkit/create-keelson/README.md',
      'packages/toolkit/envtest/README.md',
      'packages/toolkit/workloads/README.md',
      'packages/toolkit/apiserver/README.md',
      'packages/toolkit/cel/README.md',
      'packages/toolkit/structural-schema/README.md',
    ],
  },
  {
    title: 'Examples',
    pages: [
      'examples/README.md',
      'examples/configmap-generator/README.md',
      'examples/external-bucket/README.md',
      'examples/cronjob/README.md',
      'examples/many-controllers/README.md',
      'examples/kind-counter/README.md',
      'examples/kube-controllers/README.md',
      'examples/dynamic-controllers/README.md',
      'examples/multi-tenant/README.md',
      'examples/plan-operator/README.md',
      'examples/guarded-plan/README.md',
      'examples/policy-sync/README.md',
      'examples/high-availability/README.md',
      'examples/sharded/README.md',
      'examples/fleet/README.md',
      'examples/demo/README.md',
    ],
  },
  {
    title: 'Evidence',
    pages: [
      'docs/performance.md',
      'docs/showcase.md',
      'docs/soak.md',
      'docs/conformance.md',
      'docs/conformance-kubernetes.md',
    ],
  },
  {
    title: 'How it is built',
    pages: [
      'docs/architecture.md',
      'CONTRIBUTING.md',
      ...designs(
        'README',
        'decisions',
        'order-of-the-queue',
        'views',
        'watch-transport',
        'own-writes',
        'outages',
        'durable-intent',
        'changing-sources',
        'sharding',
        'byte-frames',
        'protobuf',
        'scale',
        'cel',
        'virtual-time',
        'playground',
      ),
    ],
  },
];

/** Returns the paths of all pages, in the order of the sidebar. */
export function sitePages(): string[] {
  return chapters.flatMap(({ pages }) => pages);
}
