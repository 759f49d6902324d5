// Jest's `--filter`: leaves out the test files in KEELSON_LEFT_OUT, absolute paths between white space. `.ci/run` lists those
// that another one of its steps runs whole.
const leftOut = new Set((process.env.KEELSON_LEFT_OUT ?? '').split(/\s+/));

module.exports = async (paths) => ({ filtered: paths.filter((path) => !leftOut.has(path)) });
