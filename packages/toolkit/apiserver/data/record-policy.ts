/**
 * Records the roles, bindings, priority levels and flow schemas that kube-apiserver creates in a new cluster:
 *
 *     kubectl proxy --port 8001 & npm run record:policy -- http://127.0.0.1:8001
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

const server = process.argv[2];
if (server === undefined) throw new Error('usage: npm run record:policy -- URL_OF_A_KUBECTL_PROXY');

interface Recorded {
  readonly metadata: {
    readonly namespace?: string;
    readonly name: string;
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, string>;
  };
  readonly status?: unknown;
}

/** The objects of a group in the order of the kinds, without what the server adds. */
async function recorded(
  apiVersion: string,
  kinds: Readonly<Record<string, string>>,
): Promise<unknown[]> {
  const objects: unknown[] = [];
  for (const [kind, query] of Object.entries(kinds)) {
    const response = await fetch(`${server}/apis/${apiVersion}/${query}`);
    const { items } = (await response.json()) as { items: Recorded[] };
    for (const { metadata, status: _, ...body } of items) {
      const { namespace, name, labels, annotations } = metadata;
      objects.push({
        apiVersion,
        kind,
        metadata: { namespace, name, labels, annotations },
        ...body,
      });
    }
  }
  return objects;
}

function write(file: string, objects: readonly unknown[]): void {
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  const text = JSON.stringify(objects);
  writeFileSync(join(import.meta.dirname, file), brotliCompressSync(text, { params }));
}

const selected = '?labelSelector=kubernetes.io/bootstrapping=rbac-defaults';
const policy = await recorded('rbac.authorization.k8s.io/v1', {
  ClusterRole: `clusterroles${selected}`,
  ClusterRoleBinding: `clusterrolebindings${selected}`,
  Role: `roles${selected}`,
  RoleBinding: `rolebindings${selected}`,
});
write('policy.json.br', policy);
const flows = await recorded('flowcontrol.apiserver.k8s.io/v1', {
  PriorityLevelConfiguration: 'prioritylevelconfigurations',
  FlowSchema: 'flowschemas',
});
write('build/flow-control.json.br', flows);
