import { CodedError } from '../coded-error.ts';
import { apimachineryErrors } from '../errors.ts';

/** The error of a selector that does not parse: `position` counts characters from 0. */
export function selectorSyntaxError(
  code: 'INVALID_LABEL_SELECTOR' | 'INVALID_FIELD_SELECTOR',
  selector: string,
  position: number,
  reason: string,
): CodedError {
  return new CodedError(code, apimachineryErrors[code], { selector, position, reason });
}
