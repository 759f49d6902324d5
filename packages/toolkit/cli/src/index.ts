/**
 * The `keelson` command: `keelson types` writes TypeScript types and tokens for CustomResourceDefinitions, `keelson crd`
 * writes and compares definitions, `keelson rbac` writes the roles of an operator, `keelson manifests` the files that
 * install it, `keelson bundle` those for the Operator Lifecycle Manager, `keelson dev` runs it and restarts it after changes,
 * `keelson doctor` checks a cluster for it, `keelson snapshot` saves its objects for tests, `keelson why` explains an error, and
 * `keelson inspect` and `explain` a running operator. `keelson add` extends a project, and `keelson apply`, `get` and `delete` work with
 * the objects of its server.
 *
 * - Each served version of a definition gives one module that compiles under the strict options of TypeScript.
 * - The code is the same for equal definitions, from a file or from a cluster.
 * - Names are unique identifiers, whatever the names of the properties.
 * - The text of a definition can neither end a comment nor become code.
 * - A definition that is invalid, too deep or too large is refused with a code.
 * - A file that was not generated is never overwritten.
 * - A file that fails is named, does not stop the others, and makes the exit code 1.
 * - The file of a kind has its definition, for YAML 1.1 and 1.2.
 * - Definitions are compared by name, and the exit code is 1 if a change breaks stored objects or clients.
 * - A role file changes only if its tests pass, and only where a check would refuse it.
 * - A value of package.json is checked before any file is written.
 * - With --check no file is written, and the exit code is 1 unless all files are up to date.
 * - The Kustomize files and the chart of an operator have the same objects.
 * - The text of package.json and of roles can neither change the structure of a manifest nor become an action of Helm.
 * - The Pods of the manifests are accepted in a namespace of the Pod Security level restricted.
 * - A restart of the program in keelson dev keeps the objects of the server in memory.
 * - The program of keelson dev has ended when its next start begins, and it ends with the command, also if that is killed.
 * - The server in memory of keelson dev refuses requests without the token of the kubeconfig, and those of web pages.
 * - An existing cluster gets no write by keelson dev without --install-crds.
 * - A check of keelson doctor that throws or exceeds its time limit is a failed check, and the exit code is then 1.
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
