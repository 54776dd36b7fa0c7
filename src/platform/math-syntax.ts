/** Formulas for micromark. The index of the package also loads KaTeX, which takes 10 MB of memory. */
export const { math }: Pick<typeof import('micromark-extension-math'), 'math'> = await import(
  new URL('lib/syntax.js', import.meta.resolve('micromark-extension-math')).href
)
