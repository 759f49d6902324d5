/**
 * The `keelson` command. `keelson types` writes TypeScript types and tokens for CustomResourceDefinitions.
 *
 * - Each served version of a definition gives one module that compiles under the strict options of TypeScript.
 * - The code is the same for equal definitions, from a file or from a cluster.
 * - Names are unique identifiers, whatever the names of the properties.
 * - The text of a definition can neither end a comment nor become code.
 * - A definition that is invalid, too deep or too large is refused with a code.
 * - A file that was not generated is never overwritten.
 * - With --check no file is written, and the exit code is 1 unless all files are up to date.
 *
 * @packageDocumentation
 */

// Types
export {
  generateTypes,
  type GeneratedModule,
  type TypeOptions,
} from './types/code/generate-types.ts';

// Errors
export { CliError, type CliErrorCode } from './errors.ts';
