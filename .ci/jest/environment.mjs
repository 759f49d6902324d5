// Jest's environment of Node, with a FinalizationRegistry whose callbacks run in every test file.
//
// V8 stops calling the finalizers of a process for ever once the registries that it was about to serve are themselves
// collected. A test file that ends leaves such registries behind, and tests in later files of the process would wait for their
// finalizers in vain. So the registries of test files register with one of the process, which is never collected.
import { getServers } from 'node:dns';
import { TestEnvironment } from 'jest-environment-node';
import { keepCodeCaches } from './code-cache.mjs';

keepCodeCaches();
// Node keeps its first resolver of DNS, with what is in the asynchronous context of the code that needed it first.
getServers();

const ofProcess = new FinalizationRegistry(({ registry, key }) => registry.deref()?.finalize(key));

/** Behaves as the global of the same name. A test file that ended is not kept in memory by what it registered. */
class TestFinalizationRegistry {
  #callback;
  #entries = new Map();
  /** For each token of the caller, one that no other registry unregisters. */
  #tokens = new WeakMap();
  #nextKey = 0;
  #self = new WeakRef(this);

  constructor(callback) {
    this.#callback = callback;
  }

  register(target, heldValue, token) {
    const key = this.#nextKey++;
    const own = token === undefined ? undefined : this.#tokenOf(token);
    ofProcess.register(target, { registry: this.#self, key }, own);
    own?.keys.push(key);
    this.#entries.set(key, heldValue);
  }

  unregister(token) {
    const own = this.#tokens.get(token);
    if (own === undefined) return false;
    this.#tokens.delete(token);
    for (const key of own.keys) this.#entries.delete(key);
    return ofProcess.unregister(own);
  }

  finalize(key) {
    if (!this.#entries.has(key)) return;
    const heldValue = this.#entries.get(key);
    this.#entries.delete(key);
    this.#callback(heldValue);
  }

  #tokenOf(token) {
    const known = this.#tokens.get(token);
    if (known !== undefined) return known;
    const own = { keys: [] };
    this.#tokens.set(token, own);
    return own;
  }
}

/** The frames of an error's stack. */
const STACK_FRAMES = 15;

export default class KeelsonEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.global.FinalizationRegistry = TestFinalizationRegistry;
    // Jest sets 100 frames. Each call of `expect` captures a stack, and so does each error of the code under test.
    this.global.Error.stackTraceLimit = STACK_FRAMES;
  }
}
