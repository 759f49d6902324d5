import { isJsonObject, type JsonObject } from '@keelson/structural-schema';
import { objectAt, textAt } from '../../json/json-members.ts';

/**
 * Completes the two members for the source of the data of a claim, see KEP 1495. `dataSource` accepts claims and snapshots
 * only, any other is dropped. Each member is copied to the other if that is missing.
 */
export function prepareDataSources(claim: JsonObject, old?: JsonObject): void {
  const spec = objectAt(claim, 'spec');
  const before = objectAt(old ?? {}, 'spec');
  const hadReference = isJsonObject(before.dataSourceRef);
  // The feature gate CrossNamespaceVolumeDataSource is off.
  if (textAt(objectAt(spec, 'dataSourceRef'), 'namespace') !== '' && !hadReference) {
    delete spec.dataSourceRef;
  }
  const hadSource = hadReference || isJsonObject(before.dataSource);
  if (!hadSource && !isJsonObject(spec.dataSourceRef) && !isOldSource(spec)) {
    delete spec.dataSource;
  }
  copySources(spec);
}

function isOldSource(spec: JsonObject): boolean {
  const source = objectAt(spec, 'dataSource');
  const [kind, group] = [textAt(source, 'kind'), textAt(source, 'apiGroup')];
  if (group === '') return kind === 'PersistentVolumeClaim';
  return kind === 'VolumeSnapshot' && group === 'snapshot.storage.k8s.io';
}

function copySources(spec: JsonObject): void {
  const { dataSource, dataSourceRef } = spec;
  if (isJsonObject(dataSource) && !isJsonObject(dataSourceRef)) {
    spec.dataSourceRef = { ...dataSource };
  } else if (isJsonObject(dataSourceRef) && !isJsonObject(dataSource)) {
    if (textAt(dataSourceRef, 'namespace') !== '') return;
    const { namespace: _, ...source } = dataSourceRef;
    spec.dataSource = source;
  }
}
