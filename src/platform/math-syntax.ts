/**
 * The rules of formulas between dollar signs, for micromark.
 *
 * They are taken past the index of their package, which loads KaTeX as well: 10 MB of memory for HTML
 * that is written nowhere here.
 */
export const { math }: Pick<typeof import('micromark-extension-math'), 'math'> = await import(
  new URL('lib/syntax.js', import.meta.resolve('micromark-extension-math')).href
)
