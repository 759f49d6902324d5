// Keeps V8's code cache of the modules and scripts that Jest compiles anew for each test file: the bundles of the packages,
// their dependencies and Jest's own files. Each worker of Jest reads them once.
//
// Jest reads `SourceTextModule`, `Script` and `compileFunction` of `node:vm` whenever it compiles a file.
import vm from 'node:vm';

/** Shorter code is compiled in less time than its cache takes. */
const MIN_LENGTH = 2000;
/** No other test file compiles a test file again. */
const TEST_FILE = /\.test\.ts$/;

/** The compiled code of each path, and its cache. */
const caches = new Map();

/** Makes them keep the caches of the files of this process. */
export function keepCodeCaches() {
  vm.SourceTextModule = new Proxy(vm.SourceTextModule, {
    construct(Module, [code, options]) {
      const path = options?.identifier;
      try {
        const cachedData = cacheOf(path, code);
        if (cachedData !== undefined) return new Module(code, { ...options, cachedData });
      } catch (error) {
        // A test has changed the flags of V8.
        if (error.code !== 'ERR_VM_MODULE_CACHED_DATA_REJECTED') throw error;
      }
      const module = new Module(code, options);
      // A module that has been evaluated has no cache.
      if (isKept(path, code)) caches.set(path, { code, data: module.createCachedData() });
      return module;
    },
  });

  vm.Script = new Proxy(vm.Script, {
    construct(Script, [code, options]) {
      const path = options?.filename;
      const cachedData = cacheOf(path, code);
      const script = new Script(
        code,
        cachedData === undefined ? options : { ...options, cachedData },
      );
      const isNew = cachedData === undefined || script.cachedDataRejected === true;
      // After a turn the script has run, and its cache has the functions that it has called.
      if (isNew && isKept(path, code))
        setImmediate(() => caches.set(path, { code, data: script.createCachedData() }));
      return script;
    },
  });

  // A function has no cache of the functions in it that have run, and a script has.
  const { compileFunction } = vm;
  vm.compileFunction = (code, parameters, options) => {
    const { filename, importModuleDynamically, parsingContext, ...others } = options ?? {};
    const isSame = parsingContext !== undefined && Object.keys(others).length === 0;
    if (!isSame || !isKept(filename, code)) return compileFunction(code, parameters, options);
    const head = `(function (${parameters.join(', ')}) {`;
    const script = new vm.Script(`${head}${code}\n})`, {
      filename,
      columnOffset: -head.length,
      importModuleDynamically,
    });
    return script.runInContext(parsingContext);
  };
}

function isKept(path, code) {
  return path !== undefined && code.length >= MIN_LENGTH && !TEST_FILE.test(path);
}

function cacheOf(path, code) {
  const known = caches.get(path);
  return known?.code === code ? known.data : undefined;
}
