const imports = `
import { HTTPRoute } from './gateway.networking.k8s.io/v1/httproutes.ts';
import { GatewayClass } from './gateway.networking.k8s.io/v1/gatewayclasses.ts';
import { Certificate } from './cert-manager.io/v1/certificates.ts';
import { ClusterIssuer } from './cert-manager.io/v1/clusterissuers.ts';
import { Application } from './argoproj.io/v1alpha1/applications.ts';
import { Rollout } from './argoproj.io/v1alpha1/rollouts.ts';
import { ServiceMonitor } from './monitoring.coreos.com/v1/servicemonitors.ts';
import { PrometheusRule } from './monitoring.coreos.com/v1/prometheusrules.ts';
import { VirtualService } from './networking.istio.io/v1/virtualservices.ts';
import { NodePool } from './karpenter.sh/v1/nodepools.ts';
import { Cluster } from './cluster.x-k8s.io/v1beta2/clusters.ts';
import { GitRepository } from './source.toolkit.fluxcd.io/v1/gitrepositories.ts';
import { Service } from './serving.knative.dev/v1/services.ts';
import { ScaledObject } from './keda.sh/v1alpha1/scaledobjects.ts';
import { ExternalSecret } from './external-secrets.io/v1/externalsecrets.ts';
import { ClusterSecretStore } from './external-secrets.io/v1/clustersecretstores.ts';
`;

/** A module with objects as the documentation of the projects has them, and with uses of their tokens. */
export const validObjects: string = `${imports}
import type { ApiResource, Client, ObjectOf } from '@keelson/manager';

export const route: HTTPRoute = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { name: 'http-filter-redirect', namespace: 'default' },
  spec: {
    parentRefs: [{ name: 'redirect-gateway', sectionName: 'http' }],
    hostnames: ['redirect.example'],
    rules: [
      {
        matches: [{ path: { type: 'PathPrefix', value: '/cayenne' } }],
        filters: [{ type: 'RequestRedirect', requestRedirect: { scheme: 'https', statusCode: 301 } }],
        backendRefs: [{ name: 'app', port: 8080, weight: 1 }],
      },
    ],
  },
};
export const gatewayClass: GatewayClass = {
  metadata: { name: 'example' },
  spec: { controllerName: 'acme.io/gateway-controller' },
};
export const certificate: Certificate = {
  metadata: { name: 'example-com', namespace: 'sandbox' },
  spec: {
    secretName: 'example-com-tls',
    privateKey: { algorithm: 'RSA', encoding: 'PKCS1', size: 2048 },
    duration: '2160h',
    isCA: false,
    usages: ['server auth', 'client auth'],
    subject: { organizations: ['cert-manager'] },
    dnsNames: ['example.com'],
    issuerRef: { name: 'ca-issuer', kind: 'Issuer' },
  },
};
export const issuer: ClusterIssuer = {
  metadata: { name: 'letsencrypt' },
  spec: {
    acme: {
      server: 'https://acme.example/directory',
      privateKeySecretRef: { name: 'letsencrypt' },
      solvers: [{ http01: { ingress: { ingressClassName: 'nginx' } } }],
    },
  },
};
export const application: Application = {
  metadata: { name: 'guestbook', namespace: 'argocd' },
  spec: {
    project: 'default',
    source: { repoURL: 'https://git.example/apps.git', targetRevision: 'HEAD', path: 'guestbook' },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'guestbook' },
    syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: ['CreateNamespace=true'] },
  },
};
export const rollout: Rollout = {
  metadata: { name: 'rollouts-demo', namespace: 'default' },
  spec: {
    replicas: 5,
    strategy: { canary: { maxSurge: '25%', maxUnavailable: 0, steps: [{ setWeight: 20 }, { pause: { duration: 10 } }, { pause: { duration: '1h' } }] } },
    selector: { matchLabels: { app: 'rollouts-demo' } },
    template: {
      metadata: { labels: { app: 'rollouts-demo' } },
      spec: { containers: [{ name: 'rollouts-demo', image: 'rollouts-demo:blue', ports: [{ name: 'http', containerPort: 8080 }] }] },
    },
  },
};
export const monitor: ServiceMonitor = {
  metadata: { name: 'example-app', labels: { team: 'frontend' } },
  spec: { selector: { matchLabels: { app: 'example-app' } }, endpoints: [{ port: 'web', targetPort: 8080, interval: '30s' }] },
};
export const rule: PrometheusRule = {
  metadata: { name: 'example' },
  spec: { groups: [{ name: 'example', rules: [{ alert: 'Down', expr: 'up == 0', for: '5m' }, { record: 'one', expr: 1 }] }] },
};
export const virtualService: VirtualService = {
  metadata: { name: 'reviews-route' },
  spec: {
    hosts: ['reviews.prod.svc.cluster.local'],
    http: [
      {
        match: [{ uri: { prefix: '/wpcatalog' } }, { headers: { 'end-user': { exact: 'jason' } } }],
        rewrite: { uri: '/newcatalog' },
        route: [{ destination: { host: 'reviews', subset: 'v2' }, weight: 25 }],
      },
    ],
  },
};
export const pool: NodePool = {
  metadata: { name: 'default' },
  spec: {
    template: {
      spec: {
        requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
        expireAfter: '720h',
      },
    },
    limits: { cpu: 1000, memory: '1000Gi' },
    disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '1m' },
  },
};
export const cluster: Cluster = {
  metadata: { name: 'my-cluster' },
  spec: {
    clusterNetwork: { pods: { cidrBlocks: ['192.168.0.0/16'] } },
    infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'DockerCluster', name: 'my-cluster' },
    controlPlaneRef: { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'KubeadmControlPlane', name: 'my-cluster' },
  },
};
export const repository: GitRepository = {
  metadata: { name: 'podinfo', namespace: 'default' },
  spec: { interval: '5m0s', url: 'https://git.example/podinfo', ref: { branch: 'master' } },
};
export const service: Service = {
  metadata: { name: 'hello', namespace: 'default' },
  spec: {
    template: { spec: { containers: [{ image: 'helloworld-go', ports: [{ containerPort: 8080 }], env: [{ name: 'TARGET', value: 'World' }] }] } },
    traffic: [{ latestRevision: true, percent: 100 }],
  },
};
export const scaled: ScaledObject = {
  metadata: { name: 'cron', namespace: 'default' },
  spec: {
    scaleTargetRef: { name: 'my-deployment' },
    minReplicaCount: 0,
    triggers: [{ type: 'cron', metadata: { timezone: 'Asia/Kolkata', start: '0 6 * * *', end: '0 20 * * *', desiredReplicas: '10' } }],
  },
};
export const secret: ExternalSecret = {
  metadata: { name: 'example' },
  spec: {
    refreshInterval: '1h',
    secretStoreRef: { name: 'secretstore-sample', kind: 'SecretStore' },
    target: { name: 'secret-to-be-created', creationPolicy: 'Owner' },
    data: [{ secretKey: 'key', remoteRef: { key: 'provider-key', property: 'property' } }],
  },
};
export const store: ClusterSecretStore = {
  metadata: { name: 'example' },
  spec: { provider: { aws: { service: 'SecretsManager', region: 'eu-central-1' } } },
};

export async function useTokens(client: Client): Promise<string | undefined> {
  const resource: ApiResource<HTTPRoute> = HTTPRoute;
  const created: ObjectOf<typeof HTTPRoute> = await client.create(HTTPRoute, route);
  const read = await client.get(GatewayClass, { name: 'example' });
  return created.spec.hostnames?.[0] ?? read.spec.controllerName ?? resource.plural;
}
`;

/** A module with mistakes; the compiler reports a directive that has no error below it. */
export const refusedObjects: string = `${imports}
export const missing: Certificate = {
  // @ts-expect-error -- issuerRef is required
  spec: { secretName: 'a' },
};
// @ts-expect-error -- spec is required
export const empty: HTTPRoute = { metadata: { name: 'a' } };
export const optional: GitRepository = { metadata: { name: 'a' } };
export const misspelt: Application = {
  spec: {
    project: 'default',
    destination: {},
    // @ts-expect-error -- sorce
    sorce: { repoURL: 'https://git.example/apps.git' },
  },
};
export const value: HTTPRoute = {
  // @ts-expect-error -- a value that the enum does not have
  spec: { rules: [{ matches: [{ path: { type: 'Prefix', value: '/' } }] }] },
};
// @ts-expect-error -- a number in place of a text
export const duration: NodePool = { spec: { template: { spec: { requirements: [], nodeClassRef: { group: 'a', kind: 'b', name: 'c' }, expireAfter: 720 } } } };
export const trigger: ScaledObject = {
  // @ts-expect-error -- the values of a map of texts
  spec: { scaleTargetRef: { name: 'a' }, triggers: [{ type: 'cron', metadata: { desiredReplicas: 10 } }] },
};
// @ts-expect-error -- a cluster-scoped object has no namespace
export const scoped: ClusterIssuer = { metadata: { name: 'a', namespace: 'b' }, spec: {} };
// @ts-expect-error -- a boolean in place of a number or a text
export const surge: Rollout = { spec: { strategy: { canary: { maxSurge: true } } } };
// @ts-expect-error -- undefined is not a text
export const absent: VirtualService = { spec: { hosts: undefined } };
// @ts-expect-error -- a list in place of one
export const endpoints: ServiceMonitor = { spec: { selector: {}, endpoints: { port: 'web' } } };
export const unused: number = [GatewayClass, PrometheusRule, Cluster, Service, ExternalSecret, ClusterSecretStore].length;
`;
