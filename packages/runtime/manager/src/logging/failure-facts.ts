import { CodedError, errorDocs } from '@keelson/apimachinery';
import { briefError, isError } from './error-text.ts';
import type { LogFacts } from './logger.ts';

/** The most causes that are named. */
const MAX_CAUSES = 5;

/**
 * The facts of the one line about an error that ends a manager or a controller: its code, the causes behind it, and
 * where its cure is. The stack is left out, because the error is about the cluster or the options, not about a line of
 * code. Never throws.
 */
export function failureFacts(error: unknown): LogFacts {
  const brief = briefError(error);
  if (brief === undefined) return { err: error };
  const { cause: _, ...err } = brief;
  const causes = causesOf(error);
  return {
    code: brief['code'],
    err,
    ...(causes.length > 0 && { causes }),
    ...cureOf(error),
  };
}

function causesOf(error: unknown): readonly string[] {
  const causes: string[] = [];
  try {
    for (let at = reasonOf(error); isError(at) && causes.length < MAX_CAUSES; at = reasonOf(at)) {
      causes.push(at.message);
    }
  } catch {
    // A getter of an error of the user threw. The causes that were read are enough.
  }
  return causes;
}

function reasonOf(error: unknown): unknown {
  return isError(error) ? error.cause : undefined;
}

/** The cure that the error names, and the address of its entry in the documentation. */
function cureOf(error: unknown): LogFacts {
  if (!(error instanceof CodedError)) return {};
  const { cure = `keelson why ${error.code}` } = error.facts;
  return { cure, docs: errorDocs(error.code) };
}
