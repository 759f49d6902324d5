import { type Overload, overload } from '../../types/function-declaration.ts';
import type { MessageTypes } from '../../values/messages/message-type.ts';
import { jsonPatchMessageType } from '../../values/messages/json-patch-message.ts';
import { isObjectMessageName, objectMessageType } from '../../values/messages/object-message.ts';

/** The functions that only the mutations of a MutatingAdmissionPolicy have. */
export const patchFunctions: readonly Overload[] = [
  overload('jsonpatch.escapeKey(string): string', (key: string) =>
    key.replaceAll('~', '~0').replaceAll('/', '~1'),
  ),
];

/** The types that only the mutations of a MutatingAdmissionPolicy have: `Object`, the paths below it, and `JSONPatch`. */
export const patchMessageTypes: MessageTypes = (name) => {
  if (name === 'JSONPatch') return jsonPatchMessageType;
  return isObjectMessageName(name) ? objectMessageType(name) : undefined;
};
