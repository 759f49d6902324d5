import { ApiServerError } from '../status-errors/api-server-error.ts';
import type { User } from './user.ts';

/**
 * Parses the static token file of kube-apiserver (`--token-auth-file`). Each line is
 * `token,user,uid,"group1,group2"`; the groups are optional.
 *
 * @throws `TOKEN_FILE_INVALID` with the number of the line, never with its content.
 */
export function parseTokenFile(text: string): Map<string, User> {
  const users = new Map<string, User>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const [token = '', name = '', uid = '', groups = ''] = cellsOf(line);
    if (token === '' || name === '' || users.has(token)) {
      throw new ApiServerError('TOKEN_FILE_INVALID', { line: index + 1 });
    }
    users.set(token, {
      name,
      uid,
      groups: groups
        .split(',')
        .map((group) => group.trim())
        .filter((group) => group !== ''),
    });
  }
  return users;
}

/** The cells of a line of CSV: unquoted, or in double quotes with `""` for a quote. */
function cellsOf(line: string): string[] {
  const cell = /(?:^|,)\s*(?:"((?:[^"]|"")*)"|([^,]*))/g;
  return [...line.matchAll(cell)].map(([, quoted, bare = '']) =>
    quoted === undefined ? bare.trim() : quoted.replaceAll('""', '"'),
  );
}
