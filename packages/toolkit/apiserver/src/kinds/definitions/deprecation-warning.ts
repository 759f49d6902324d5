import type { StatusCause } from '@keelson/apimachinery';
import { type FieldPath, invalidText, type JsonObject } from '@keelson/structural-schema';

/** Most bytes of a warning. */
const LONGEST_DEPRECATION_WARNING = 256;

/** Validates the warning that a deprecated version sends with its responses. */
export function validateDeprecation(version: JsonObject, path: FieldPath): StatusCause[] {
  const { deprecated, deprecationWarning: warning } = version;
  if (typeof warning !== 'string') return [];
  if (deprecated !== true)
    return [invalidText(path, warning, 'can only be set for deprecated versions')];
  return problemsOf(warning).map((detail) => invalidText(path, warning, detail));
}

/** Lengths and positions count bytes, as in Go. */
function problemsOf(warning: string): string[] {
  const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(warning);
  const at = unprintable === null ? 0 : Buffer.byteLength(warning.slice(0, unprintable.index));
  return [
    ...(Buffer.byteLength(warning) > LONGEST_DEPRECATION_WARNING
      ? [`must be <= ${LONGEST_DEPRECATION_WARNING} characters long`]
      : []),
    ...(warning === '' ? ['must not be an empty string'] : []),
    ...(unprintable === null
      ? []
      : [
          `must only contain printable UTF-8 characters; non-printable character found at index ${at}`,
        ]),
  ];
}
