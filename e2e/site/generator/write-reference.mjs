// Writes the API reference as Markdown with TypeDoc. TypeDoc needs the compiler's JavaScript API, which TypeScript 7 does not
// have; so this folder has a TypeScript 6 of its own.
//   node write-reference.mjs '{ "out": FOLDER, "entryPoints": [{ "name": NAME, "file": FILE }], "repository": URL }'
import { fileURLToPath } from 'node:url';
import { Application, ReflectionKind } from 'typedoc';
import { MemberRouter } from 'typedoc-plugin-markdown';

const { out, entryPoints, repository } = JSON.parse(process.argv[2]);
const root = fileURLToPath(new URL('../../..', import.meta.url));

const app = await Application.bootstrapWithPlugins({
  plugin: ['typedoc-plugin-markdown'],
  entryPoints: entryPoints.map(({ file }) => file),
  tsconfig: fileURLToPath(new URL('tsconfig.json', import.meta.url)),
  basePath: root,
  displayBasePath: root,
  out,
  readme: 'none',
  router: 'keelson',
  entryFileName: 'index',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  expandParameters: true,
  parametersFormat: 'table',
  typeDeclarationFormat: 'list',
  disableGit: true,
  gitRevision: 'none',
  sourceLinkTemplate: `${repository}/{path}#L{line}`,
  // `npm run types` checks the same sources.
  skipErrorChecking: true,
  excludeInternal: true,
  excludePrivate: true,
  excludeExternals: true,
  logLevel: 'Warn',
  validation: { notExported: false, invalidLink: true, invalidPath: true, rewrittenLink: true },
});

// A page `Index` would be the index of its folder.
class Router extends MemberRouter {
  getReflectionAlias(reflection) {
    const alias = super.getReflectionAlias(reflection);
    return alias.toLowerCase() === 'index' ? `${alias}-type` : alias;
  }
}
app.renderer.defineRouter('keelson', Router);

const project = await app.convert();
if (project === undefined || app.logger.hasErrors()) process.exit(1);

const names = new Map(entryPoints.map(({ name, file }) => [file, name]));
for (const module of project.getReflectionsByKind(ReflectionKind.Module)) {
  module.name = names.get(module.sources?.[0]?.fullFileName) ?? module.name;
}
await app.generateOutputs(project);
