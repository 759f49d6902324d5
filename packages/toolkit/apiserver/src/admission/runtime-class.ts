import { objectAt, textAt } from '../json/json-members.ts';
import { asJson, jsonEquals, type JsonObject } from '@keelson/structural-schema';
import type { ResourceStore } from '../storage/resource-store.ts';
import { keyOfMetadata } from '../storage/stored-object.ts';
import {
  type AdmissionPlugin,
  type AdmissionRequest,
  refused,
  refusedUnnamed,
  writes,
} from './admission-plugin.ts';

const different = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
const undefinedOverhead =
  'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead';

/** Sets the overhead of the RuntimeClass on new pods. Rejects an unknown class and a different overhead. */
export function runtimeClass(classes: ResourceStore): AdmissionPlugin {
  return {
    mutate(request) {
      if (!creates(request)) return;
      const spec = specOf(request);
      const overhead = overheadOf(request, classes);
      if (overhead === undefined) return;
      if (spec.overhead !== undefined && !jsonEquals(spec.overhead, overhead)) {
        throw refusedUnnamed(request, different);
      }
      spec.overhead = structuredClone(overhead);
    },
    validate(request) {
      if (!creates(request)) return;
      const { overhead } = specOf(request);
      const wanted = overheadOf(request, classes);
      if (wanted === undefined && overhead !== undefined) throw refused(request, undefinedOverhead);
      if (!jsonEquals(wanted, overhead)) throw refused(request, different);
    },
  };
}

function creates(request: AdmissionRequest): boolean {
  return request.old === undefined && writes(request, '', 'pods');
}

function specOf(request: AdmissionRequest): JsonObject {
  return objectAt(asJson(request.object), 'spec');
}

function overheadOf(request: AdmissionRequest, classes: ResourceStore): JsonObject | undefined {
  const name = textAt(specOf(request), 'runtimeClassName');
  if (name === '') return undefined;
  const found = classes.get(keyOfMetadata({ name }));
  if (found === undefined) {
    throw refusedUnnamed(request, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
  }
  const { podFixed } = objectAt(asJson(found.parse()), 'overhead');
  return podFixed as JsonObject | undefined;
}
