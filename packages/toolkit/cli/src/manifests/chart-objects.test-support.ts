import type { KubernetesObject } from '@keelson/apimachinery';
import type { GeneratedFile } from '../output/output-folder.ts';
import { objectsIn } from './manifests.test-support.ts';
import { renderChart, type Installation } from './render-chart.test-support.ts';

/** Returns the objects of an installation that has the name and the namespace of the operator, without definitions. */
export function chartObjects(
  of: readonly GeneratedFile[],
  installation: Installation = {},
): readonly KubernetesObject[] {
  const same = { name: 'website-operator', namespace: 'websites', ...installation };
  const texts = new Map(renderChart(of, same));
  texts.delete('chart/templates/NOTES.txt');
  return objectsIn(texts.values()).filter((object) => object !== null && object !== undefined);
}

/** The objects by their kinds and names, without what differs between the forms: what is empty, and the tool. */
export function comparable(objects: readonly KubernetesObject[]): ReadonlyMap<string, unknown> {
  const text = JSON.stringify(objects, (_name, value: unknown) => {
    const isEmpty =
      value === '' ||
      (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
    return isEmpty ? undefined : value;
  });
  const neutral = JSON.parse(text.replaceAll('"Helm"', '"kustomize"')) as KubernetesObject[];
  return new Map(neutral.map((one) => [`${one.kind} ${one.metadata?.name}`, one]));
}
