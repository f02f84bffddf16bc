#!/usr/bin/env python3
"""What `cmake --install` leaves is enough: the example builds against it and runs a job."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import house

sys.path.insert(0, str(house.ROOT / "tests" / "support"))
from private_cluster import PrivateCluster  # noqa: E402  pylint: disable=wrong-import-position


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.prefix = cls.folder / "prefix"
        cls.run_checked("cmake", "--install", house.BUILD, "--prefix", cls.prefix)

    @staticmethod
    def run_checked(*command: object, **environment: str) -> str:
        done = subprocess.run([str(word) for word in command], check=False, capture_output=True,
                              text=True, timeout=300, env={**os.environ, **environment})
        if done.returncode != 0:
            raise AssertionError(f"{command} failed:\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def build_example(self) -> pathlib.Path:
        build = self.folder / "example"
        self.run_checked("cmake", "-S", house.ROOT / "examples" / "first-program", "-B", build,
                         "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.run_checked("cmake", "--build", build)
        return build / "first_program"

    def test_the_first_program_runs_its_job(self) -> None:
        program = self.build_example()
        with PrivateCluster() as cluster:
            self.run_checked(self.prefix / "bin" / "jobforge", "migrate", DATABASE_URL=cluster.url)
            tenant = cluster.query("select jobforge.create_tenant('first program')")
            output = self.run_checked(program, tenant, cluster.url)
            self.assertEqual(cluster.query("select status from jobforge.all_jobs"), "SUCCEEDED")
        self.assertEqual(output, '{"hello":"Ada"}\n')
        refused = subprocess.run([program, "no-tenant", cluster.url], check=False,
                                 capture_output=True, text=True, timeout=60)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("VALIDATION_ERROR", refused.stderr)

    def test_every_public_header_is_installed(self) -> None:
        names = {path.name for path in (house.ROOT / "include" / "jobforge").iterdir()}
        installed = {path.name for path in (self.prefix / "include" / "jobforge").iterdir()}
        self.assertEqual(installed, names)

    def test_the_second_verifier_runs_from_where_it_is_installed(self) -> None:
        tool = self.prefix / "share" / "jobforge" / "tools" / "verify_bundle.py"
        golden = house.ROOT / "tests" / "passport" / "golden" / "medium" / "expected" / "bundle.json"
        bundle = self.folder / "bundle.json"
        bundle.write_bytes(golden.read_bytes().removesuffix(b"\n"))
        output = self.run_checked(tool, bundle, "--key",
                                  "golden-key=A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=")
        self.assertIn("The bundle is valid", output)

    def test_the_package_does_not_point_back_into_the_build(self) -> None:
        for path in self.prefix.rglob("*.cmake"):
            text = path.read_text(encoding="utf-8")
            self.assertNotIn(str(house.BUILD), text, path)
            self.assertNotIn(str(house.ROOT), text, path)

    def test_the_installed_program_knows_its_version(self) -> None:
        output = self.run_checked(self.prefix / "bin" / "jobforge", "--version")
        self.assertRegex(output, r"0\.1\.0")


if __name__ == "__main__":
    unittest.main()
