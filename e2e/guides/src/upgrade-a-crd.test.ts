import { describe, expect, test } from '@jest/globals';
import { compareCrds } from '@keelson/schema';
import type { CustomResourceDefinition } from '@keelson/schema';
import { timers } from './timer.ts';

describe('docs/guides/upgrade-a-crd.md', () => {
  test('the new version breaks neither objects nor clients', () => {
    const released = timers.versions.v1beta1.crd;
    expect(breaks(released, timers.crd)).toEqual([]);
    expect(breaks(released, timers.versions.v1.crd)).toEqual([
      'versions[v1beta1]: removed, but objects are stored in it (objects, clients): keep the version; write every object in another storage version and remove this one from status.storedVersions first',
      'spec.every: the field is removed, and the server drops its value, compared with the storage version v1beta1 (objects, clients): keep the field, marked as deprecated in its description, or convert it in a new version',
      'spec.seconds: becomes required and has no default, compared with the storage version v1beta1 (objects, clients): give it a default, or leave it optional in this version',
    ]);
  });
});

// #region compare
function breaks(released: CustomResourceDefinition, next: CustomResourceDefinition): string[] {
  return compareCrds(released, next).map(
    ({ path, reason, breaks: affected, cure }) =>
      `${path}: ${reason} (${affected.join(', ')}): ${cure}`,
  );
}
// #endregion
