import type { HeadPositions } from './format.ts';

/** Returns positions in which every part is missing. */
export function noPositions(): HeadPositions {
  return {
    apiVersionFrom: -1,
    apiVersionTo: -1,
    kindFrom: -1,
    kindTo: -1,
    bodyFrom: -1,
    bodyTo: -1,
    metadataTagFrom: -1,
    metadataFrom: -1,
    metadataTo: -1,
    managedFieldsFrom: -1,
    managedFieldsTo: -1,
    nameFrom: -1,
    nameTo: -1,
    namespaceFrom: -1,
    namespaceTo: -1,
    uidFrom: -1,
    uidTo: -1,
    resourceVersionFrom: -1,
    resourceVersionTo: -1,
    hasEscapedNames: false,
    managedFieldsRepeated: false,
  };
}

/** Marks every part as missing. */
export function clearPositions(positions: HeadPositions): void {
  positions.apiVersionFrom = -1;
  positions.apiVersionTo = -1;
  positions.kindFrom = -1;
  positions.kindTo = -1;
  positions.bodyFrom = -1;
  positions.bodyTo = -1;
  positions.metadataTagFrom = -1;
  positions.metadataFrom = -1;
  positions.metadataTo = -1;
  clearMetadata(positions);
}

/** Marks the parts of the metadata as missing, but not the metadata themselves. */
export function clearMetadata(positions: HeadPositions): void {
  positions.managedFieldsFrom = -1;
  positions.managedFieldsTo = -1;
  positions.managedFieldsRepeated = false;
  positions.hasEscapedNames = false;
  positions.nameFrom = -1;
  positions.nameTo = -1;
  positions.namespaceFrom = -1;
  positions.namespaceTo = -1;
  positions.uidFrom = -1;
  positions.uidTo = -1;
  positions.resourceVersionFrom = -1;
  positions.resourceVersionTo = -1;
}
