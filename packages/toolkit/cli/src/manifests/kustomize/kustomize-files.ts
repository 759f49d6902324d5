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
  component: 'components/service-monitor',
} as const;

const DEVELOPMENT_REPLICAS = 1;

/** The Kustomize base, the overlays `development` and `production`, and the component `service-monitor`. */
export function kustomizeFiles(
  operator: Operator,
  groups: readonly ObjectGroup[],
): readonly GeneratedFile[] {
  return [
    ...groups.map((group) => {
      const folder = folders[group.location ?? 'base'];
      return { path: `kustomize/${folder}/${group.name}.yaml`, text: documentsText(group.objects) };
    }),
    file('base', { ...kustomization, resources: baseResources(groups) }),
    file('overlays/development', {
      ...kustomization,
      resources: ['../../base'],
      replicas: [{ name: operator.name, count: DEVELOPMENT_REPLICAS }],
    }),
    file('overlays/production', {
      ...kustomization,
      resources: ['../../base', ...namesOf(groups, 'production')],
    }),
    file('components/service-monitor', { ...component, resources: namesOf(groups, 'component') }),
  ];
}

function baseResources(groups: readonly ObjectGroup[]): readonly string[] {
  return groups
    .filter(({ location }) => location !== 'production' && location !== 'component')
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
