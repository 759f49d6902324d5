import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { isDnsLabel } from '@keelson/apimachinery';
import { CliError } from '../../errors.ts';
import { boundedText } from '../../output/bounded-text.ts';
import { entriesOf } from '../../output/output-folder.ts';

/** A Grafana dashboard of the project, as its file has it. */
export interface ProjectDashboard {
  /** The name of the file without its ending. */
  readonly name: string;
  readonly text: string;
}

/** The API server refuses a ConfigMap with more data: https://kubernetes.io/docs/concepts/configuration/configmap/ */
const MAX_DASHBOARD_BYTES = 1024 * 1024;

/**
 * Reads the JSON files of a folder of dashboards, in the order of their names; none if the folder is missing. Throws
 * `DASHBOARD_INVALID` with the file and the reason.
 */
export async function readDashboards(folder: string): Promise<readonly ProjectDashboard[]> {
  const names = (await entriesOf(folder))
    .map(({ name }) => name)
    .filter((name) => name.endsWith('.json'));
  const found: ProjectDashboard[] = [];
  const uids = new Map<string, string>();
  for (const fileName of names.toSorted()) {
    const file = join(folder, fileName);
    const text = await textOf(file);
    const { uid } = checkDashboard(file, fileName, text);
    const other = uids.get(uid);
    if (other !== undefined) throw invalid(file, `has the uid of ${other}`);
    uids.set(uid, fileName);
    found.push({ name: fileName.slice(0, -'.json'.length), text });
  }
  return found;
}

async function textOf(file: string): Promise<string> {
  try {
    return (await boundedText(createReadStream(file))).replace(/^\uFEFF/, '');
  } catch (cause) {
    throw invalid(file, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

/** Checks what Grafana needs of a dashboard, and Kubernetes of the ConfigMap that holds it. */
function checkDashboard(file: string, fileName: string, text: string): { readonly uid: string } {
  const name = fileName.slice(0, -'.json'.length);
  if (!isDnsLabel(name)) throw invalid(file, 'must have a DNS label as its name');
  if (Buffer.byteLength(text) > MAX_DASHBOARD_BYTES) {
    throw invalid(file, `must have at most ${MAX_DASHBOARD_BYTES} bytes`);
  }
  const dashboard = jsonOf(file, text);
  const { uid, title, panels } = (dashboard ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof title !== 'string' || title === '') throw invalid(file, 'title must be a text');
  if (typeof uid !== 'string' || !/^[\w-]{1,40}$/.test(uid)) {
    throw invalid(file, 'uid must have 1 to 40 letters, digits, "-" and "_"');
  }
  if (!Array.isArray(panels)) throw invalid(file, 'panels must be a list');
  return { uid };
}

function jsonOf(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid(file, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function invalid(file: string, reason: string, cause?: unknown): CliError {
  return new CliError('DASHBOARD_INVALID', { file, reason }, { cause });
}
