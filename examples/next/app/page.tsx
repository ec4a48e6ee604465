export default function Page() {
  return <p>everything else</p>
}
