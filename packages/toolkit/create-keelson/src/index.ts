/**
 * `npm create keelson` writes an operator with its tests, image and CI. `npm create keelson -- --update` brings the files
 * of the template to the present version.
 *
 * - A project has at most 15 files, and its tests pass at once, without a cluster.
 * - Every name of the template is replaced by the names of the project.
 * - An existing file is never overwritten, and an error leaves no file behind.
 * - An invalid choice is refused with its name and the reason.
 * - Without a terminal no question is asked, and an error names the missing choices.
 * - An update replaces only files of the template that the user has not changed, and prints the others as diffs.
 *
 * @packageDocumentation
 */

// Projects
export type { Choices } from './choices/choices.ts';
export type { ProjectNames } from './template/render.ts';
export type { Variant } from './template/variant.ts';
export { createProject, type CreatedProject } from './project/create-project.ts';
export { updateProject, type UpdatedProject } from './update/update-project.ts';

// Errors
export { CreateError, type CreateErrorCode, type CreateErrorFacts } from './errors.ts';
