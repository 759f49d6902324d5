import type { DeepReadonly, KubernetesObject } from '@keelson/apimachinery';
import { oneOf, refuseUnless } from '../../values/option-check.ts';
import { isRecord } from '../../values/record.ts';

/** One operation of a JSON patch (RFC 6902). */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly path: string; readonly from: string };

/** Any part of an object, for a merge patch. `null` removes a member (RFC 7386). */
export type MergePatch<T> = T extends readonly unknown[]
  ? DeepReadonly<T>
  : T extends object
    ? { readonly [Key in keyof T]?: MergePatch<T[Key]> | null }
    : T;

/** A whole object to write: with the defaults of the server, as it returned the object, or without them. */
export type Submitted<T extends KubernetesObject, Input extends KubernetesObject = T> =
  | NoInfer<T | Input>
  | DeepReadonly<NoInfer<T | Input>>;

/** Any part of an object, for a server-side apply. */
export type Partially<T> = T extends readonly (infer Item)[]
  ? readonly Partially<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]?: Partially<T[Key]> }
    : T;

/**
 * A change of an object as JSON patch, merge patch or strategic merge patch. `client.apply` is the fourth
 * form.
 */
export type Patch<T> =
  | { readonly type: 'json'; readonly body: readonly JsonPatchOperation[] }
  | { readonly type: 'merge'; readonly body: MergePatch<T> }
  /** Merges lists by key; for built-in kinds only. Not typed, because it may contain `$patch` directives. */
  | { readonly type: 'strategic'; readonly body: object };

export const patchMediaTypes: Readonly<Record<Patch<unknown>['type'] | 'apply', string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  // JSON is valid YAML. Servers before 1.32 do not accept the media type of an apply in JSON.
  apply: 'application/apply-patch+yaml',
};

const checkType = oneOf('json', 'merge', 'strategic');

/** Returns the body of a patch request. Throws `INVALID_OPTION` as `checkPatch`. */
export function patchBody(patch: Patch<unknown>): { body: object; contentType: string } {
  checkPatch(patch);
  return { body: patch.body as object, contentType: patchMediaTypes[patch.type] };
}

/** Refuses a patch without its type, such as the bare body that client-node takes. */
function checkPatch(patch: unknown): void {
  refuseUnless(isRecord(patch), 'patch', 'must be { type, body }');
  const { type, body } = patch as Readonly<Record<string, unknown>>;
  checkType(type, 'patch.type');
  if (type === 'json')
    refuseUnless(Array.isArray(body), 'patch.body', 'must be a list of operations');
  else refuseUnless(isRecord(body), 'patch.body', 'must be an object');
}
