import { CliError } from '../../errors.ts';
import { boundedText } from '../../output/bounded-text.ts';
import { parseDocuments } from './parse-documents.ts';

/** The time limit of a download in milliseconds, including redirects. */
const DOWNLOAD_TIMEOUT_MS = 30_000;

/**
 * Downloads the definitions behind a URL. Throws `SOURCE_UNREADABLE` for an error status, more than 32 MiB, more than
 * 30 s, or a redirect from https to http; `SOURCE_INVALID` for a text that is neither YAML nor JSON.
 */
export async function download(address: string): Promise<readonly unknown[]> {
  if (!URL.canParse(address)) throw unreadable(address, new Error('not a valid URL'));
  const url = new URL(address);
  // Neither a password nor the token of a signed URL belongs into an error.
  const source = `${url.origin}${url.pathname}`;
  let text: string;
  try {
    text = await textOf(url);
  } catch (cause) {
    throw unreadable(source, cause);
  }
  return parseDocuments(text, source);
}

async function textOf(url: URL): Promise<string> {
  const signal = AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS);
  const response = await fetch(url, { signal });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`HTTP status ${response.status}`);
  }
  if (url.protocol === 'https:' && !response.url.startsWith('https:')) {
    await response.body?.cancel();
    throw new Error('a redirect leads from https to http');
  }
  return response.body === null ? '' : boundedText(response.body);
}

function unreadable(source: string, cause: unknown): CliError {
  return new CliError('SOURCE_UNREADABLE', { source, reason: reasonOf(cause) }, { cause });
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  // fetch reports "fetch failed" and has the reason in its cause.
  return cause.cause instanceof Error ? cause.cause.message : cause.message;
}
