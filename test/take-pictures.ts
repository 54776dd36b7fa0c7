/**
 * `npm run pictures -- DIR`: every view of the page of admins, at both widths, in both schemes and languages, to be
 * looked at. `npm run pictures -- playground DIR`: the same of the playground's.
 */
const [first, second] = process.argv.slice(2)

if (first === 'playground') {
  const { takePictures } = await import('./slow/playground/take-pictures.ts')
  await takePictures(second ?? 'build/pictures/playground')
} else {
  const { takePictures } = await import('./slow/dashboard/take-pictures.ts')
  await takePictures(first ?? 'build/pictures')
}
