import type { StatusCause } from '@keelson/apimachinery';
import { EvaluationError, fail, parseRequestUrl } from '@keelson/cel/internal';
import {
  invalid,
  isJsonObject,
  type JsonObject,
  keyPath,
  required,
} from '@keelson/structural-schema';
import { objectAt, textAt } from '../../json/json-members.ts';

const annotation = 'api-approved.kubernetes.io';
const place = 'see https://github.com/kubernetes/enhancements/pull/1111';

/** The state of the approval of a definition; `bypassed` by a reason that starts with `unapproved`. */
export type Approval = 'missing' | 'bypassed' | 'approved' | 'invalid';

/** Requires the annotation of an approval for the groups of the Kubernetes community. */
export function validateApproval(
  definition: JsonObject,
  old: JsonObject | undefined,
): StatusCause[] {
  if (!needsApproval(definition)) return [];
  const state = approvalOf(definition);
  if (old !== undefined && approvalOf(old) === state) return [];
  const field = keyPath('metadata.annotations', annotation);
  const subject = `protected groups must have approval annotation "${annotation}"`;
  if (state === 'missing') return [required(field, `${subject}, ${place}`)];
  if (state !== 'invalid') return [];
  const detail = `${subject} with either a URL or a reason starting with "unapproved", ${place}`;
  return [invalid(field, approvalText(definition), detail)];
}

/** True for a definition in a group of the Kubernetes community. */
export function needsApproval(definition: JsonObject): boolean {
  const group = textAt(objectAt(definition, 'spec'), 'group');
  return /(^|\.)(k8s|kubernetes)\.io$/.test(group);
}

export function approvalOf(definition: JsonObject): Approval {
  const text = approvalText(definition);
  if (text === '') return 'missing';
  if (text.startsWith('unapproved')) return 'bypassed';
  return isAddress(text) ? 'approved' : 'invalid';
}

function isAddress(text: string): boolean {
  try {
    const { scheme, host } = parseRequestUrl(text, fail);
    return scheme !== '' && host !== '';
  } catch (error) {
    if (error instanceof EvaluationError) return false;
    throw error;
  }
}

/** Returns the value of the annotation; empty if it is missing. */
export function approvalText(definition: JsonObject): string {
  const { annotations } = objectAt(definition, 'metadata');
  return isJsonObject(annotations) ? textAt(annotations, annotation) : '';
}
