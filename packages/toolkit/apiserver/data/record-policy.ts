/**
 * Records the roles and bindings that kube-apiserver creates in a new cluster:
 *
 *     kubectl proxy --port 8001 & npm run record:policy -- http://127.0.0.1:8001
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

const server = process.argv[2];
if (server === undefined) throw new Error('usage: npm run record:policy -- URL_OF_A_KUBECTL_PROXY');

const kinds = {
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  Role: 'roles',
  RoleBinding: 'rolebindings',
};
const apiVersion = 'rbac.authorization.k8s.io/v1';

interface Recorded {
  readonly metadata: {
    readonly namespace?: string;
    readonly name: string;
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, string>;
  };
}

const policy: unknown[] = [];
for (const [kind, plural] of Object.entries(kinds)) {
  const selector = 'labelSelector=kubernetes.io/bootstrapping=rbac-defaults';
  const response = await fetch(`${server}/apis/${apiVersion}/${plural}?${selector}`);
  const { items } = (await response.json()) as { items: Recorded[] };
  for (const { metadata, ...body } of items) {
    const { namespace, name, labels, annotations } = metadata;
    policy.push({ apiVersion, kind, metadata: { namespace, name, labels, annotations }, ...body });
  }
}
const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
const text = JSON.stringify(policy);
writeFileSync(join(import.meta.dirname, 'policy.json.br'), brotliCompressSync(text, { params }));
