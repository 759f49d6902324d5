import { CodedError } from '../coded-error.ts';
import { apimachineryErrors } from '../errors.ts';

/** Returns the error of an invalid selector. `position` counts characters from 0. */
export function selectorSyntaxError(
  code: 'INVALID_LABEL_SELECTOR' | 'INVALID_FIELD_SELECTOR',
  selector: string,
  position: number,
  reason: string,
): CodedError {
  return new CodedError(code, apimachineryErrors[code], { selector, position, reason });
}
