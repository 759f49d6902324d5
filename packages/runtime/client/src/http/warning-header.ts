import type { HttpResponse } from './http-response.ts';
import type { ClientObserver } from './observer.ts';

/** One `warn-code warn-agent "warn-text"` of RFC 7234 §5.5; the API server sends code 299 and agent `-`. */
const WARNING = /\d{3} \S+ "((?:[^"\\]|\\.)*)"/g;

/** Reports each warning in the headers of a response to the observer. */
export function reportWarnings(
  observer: ClientObserver | undefined,
  request: { readonly method: string; readonly path: string },
  response: HttpResponse,
): void {
  if (observer?.warning === undefined) return;
  for (const text of warningsIn(response.headers['warning'])) {
    observer.warning({ method: request.method, path: request.path, text: response.redacted(text) });
  }
}

function warningsIn(header: string | string[] | undefined): string[] {
  const lines = Array.isArray(header) ? header : [header ?? ''];
  return lines.flatMap((line) =>
    [...line.matchAll(WARNING)].map((match) => (match[1] ?? '').replaceAll(/\\(.)/g, '$1')),
  );
}
