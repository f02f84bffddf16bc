create database jobforge
