// What Node and reading the arguments cost without any library.
const { body } = JSON.parse(process.argv[2])
console.log(JSON.parse(JSON.parse(body).data).id)
