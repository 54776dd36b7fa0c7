/** Stands in a list that has nothing in it. */
export function Empty({ title, hint }: { title: string; hint: string }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      <p class="hint">{hint}</p>
    </div>
  )
}
