import type { builtin, ObjectOf } from '@keelson/apimachinery';
import type { Operator } from '../operator/operator.ts';
import type { ObjectGroup } from '../objects/object-group.ts';
import { documentsText } from '../text/manifest-text.ts';
import type { GeneratedFile } from '../../output/output-folder.ts';

const kustomization = { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization' };
const component = { apiVersion: 'kustomize.config.k8s.io/v1alpha1', kind: 'Component' };

/** The folder of each kind of group, below `kustomize`. */
const folders = {
  base: 'base',
  kustomize: 'base',
  definitions: 'base/crds',
  production: 'overlays/production',
} as const;

const DEVELOPMENT_REPLICAS = 1;

/** The Kustomize base, the overlays `development` and `production`, and the component `service-monitor`. */
export function kustomizeFiles(
  operator: Operator,
  groups: readonly ObjectGroup[],
): readonly GeneratedFile[] {
  const own = groups.filter(({ location }) => location !== 'chart');
  return [
    ...own.map((group) => {
      const path = `kustomize/${folderOf(group)}/${group.name}.yaml`;
      return { path, text: documentsText(group.objects) };
    }),
    file('base', { ...kustomization, resources: baseResources(own) }),
    file('overlays/development', {
      ...kustomization,
      resources: ['../../base'],
      replicas: [{ name: operator.name, count: DEVELOPMENT_REPLICAS }],
    }),
    file('overlays/production', {
      ...kustomization,
      resources: ['../../base', ...namesOf(own, 'production')],
    }),
    ...own.filter(isComponent).map((group) => componentFile(operator, group)),
  ];
}

function isComponent({ location }: ObjectGroup): boolean {
  return location === 'component' || location === 'namespaces';
}

function folderOf(group: ObjectGroup): string {
  if (isComponent(group)) return `components/${group.name}`;
  return folders[(group.location ?? 'base') as keyof typeof folders];
}

function componentFile(
  operator: Operator,
  { name, location, objects }: ObjectGroup,
): GeneratedFile {
  const resources = [`${name}.yaml`];
  if (location !== 'namespaces') return file(`components/${name}`, { ...component, resources });
  const patches = [
    ...boundClusterRoles(objects).map((role) => ({
      patch: documentsText([
        {
          $patch: 'delete',
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRoleBinding',
          metadata: { name: role },
        },
      ]),
    })),
    { patch: documentsText([namespacesPatch(operator)]) },
  ];
  return file(`components/${name}`, { ...component, resources, patches });
}

/** The ClusterRoles that the component binds in namespaces instead of the cluster. */
function boundClusterRoles(objects: ObjectGroup['objects']): readonly string[] {
  const names = objects
    .filter(({ kind }) => kind === 'RoleBinding')
    .map((binding) => (binding as ObjectOf<typeof builtin.RoleBinding>).roleRef.name);
  return [...new Set(names)];
}

function namespacesPatch({ name, namespace, watchNamespaces }: Operator): object {
  const env = [{ name: 'WATCH_NAMESPACES', value: watchNamespaces.join(',') }];
  const spec = { template: { spec: { containers: [{ name: 'operator', env }] } } };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace }, spec };
}

function baseResources(groups: readonly ObjectGroup[]): readonly string[] {
  return groups
    .filter((group) => group.location !== 'production' && !isComponent(group))
    .map(({ name, location }) =>
      location === 'definitions' ? `crds/${name}.yaml` : `${name}.yaml`,
    );
}

function namesOf(
  groups: readonly ObjectGroup[],
  wanted: ObjectGroup['location'],
): readonly string[] {
  return groups.filter(({ location }) => location === wanted).map(({ name }) => `${name}.yaml`);
}

function file(folder: string, content: object): GeneratedFile {
  return { path: `kustomize/${folder}/kustomization.yaml`, text: documentsText([content]) };
}
